package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The gradients of values back where they came from, and the sum of those of a default. */
interface EmptyRowsGrad extends Op {

    @Override
    default List<TensorType> infer(InferenceContext c) {
        Arguments.rank("reverse_index_map", c.shape(0), 1);
        Arguments.rank("grad_values", c.shape(1), 1);
        return List.of(new TensorType(c.dtype(1), c.shape(0)), new TensorType(c.dtype(1), Shape.SCALAR));
    }

    @Override
    default Kernel cpu() {
        return c -> {
            Tensor map = c.input(0), dy = c.input(1), y = c.output(0), rest = c.output(1);
            boolean[] used = new boolean[Counts.toInt(dy.size())];
            int w = dy.dtype().size();
            for (long i = 0; i < map.size(); i++) {
                long k = map.getLong(i);
                require(
                        k >= 0 && k < used.length,
                        INVALID_ARGUMENT,
                        "Elements in reverse index must be in [0, %d) but got %d",
                        used.length,
                        k);
                used[(int) k] = true;
                Memory.copy(dy.address() + k * w, y.address() + i * w, w);
            }
            Memory.zero(rest.address(), w);
            for (int k = 0; k < used.length; k++)
                if (!used[k]) Combine.ADD.apply(dy.dtype(), rest.address(), dy.address() + (long) k * w, 1);
        };
    }
}
