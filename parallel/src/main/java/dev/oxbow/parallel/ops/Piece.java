package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Slice;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code count} indices of one axis of a value that everybody has. Made by plans alone. */
@Signature("_Piece(input: T) -> (output: T) {T: type; axis: int; from: int; count: int}")
public record Piece(int axis, long from, long count) implements Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        TensorType t = c.input(0);
        return List.of(t.shape().isRankKnown() ? t.withShape(t.shape().withDim(axis, count)) : t);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0),
                    y = c.isAllocated(0) ? c.output(0) : c.allocate(0, x.shape().withDim(axis, count));
            long[] begin = new long[x.shape().rank()];
            begin[axis] = from;
            if (y.size() > 0) Slice.read(x, begin, y.shape().dims(), y, c.parallel());
        };
    }
}
