package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;
import static java.util.stream.Collectors.joining;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Where each of several shapes begins when they are joined along an axis. */
@Signature(
        "ConcatOffset(concat_dim: int32, shape: N*shape_type) -> (offset: N*shape_type) {N: int >= 2; shape_type: type in [INT32 INT64] = INT32}")
public record ConcatOffset() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        Arguments.scalar("concat_dim", c.shape(0));
        for (int i = 1; i < c.inputCount(); i++) {
            require(
                    c.shape(i).rank() < 0 || c.shape(i).rank() == 1,
                    INVALID_ARGUMENT,
                    "input %d should be a vector, but got shape %s",
                    i,
                    c.shape(i));
            types.add(c.input(i));
        }
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor first = c.input(1);
            int rank = Counts.toInt(first.size());
            long axis = c.input(0).getLong(0);
            require(
                    axis >= -rank && axis < rank,
                    INVALID_ARGUMENT,
                    "Concat dim is out of range: %d vs. %d",
                    axis,
                    rank);
            int at = (int) (axis < 0 ? axis + rank : axis);
            long offset = 0;
            for (int i = 1; i < c.inputCount(); i++) {
                Tensor shape = c.input(i), y = c.output(i - 1);
                require(
                        shape.size() == rank,
                        INVALID_ARGUMENT,
                        "input %d should contain %d elements, but got %d",
                        i,
                        rank,
                        shape.size());
                for (int d = 0; d < rank; d++) {
                    require(
                            d == at || shape.getLong(d) == first.getLong(d),
                            INVALID_ARGUMENT,
                            "All dimensions except %d must match. Input %d has shape %s and doesn't match input 0 with shape %s.",
                            at,
                            i - 1,
                            words(shape),
                            words(first));
                    y.setLong(d, d == at ? offset : 0);
                }
                offset += shape.getLong(at);
            }
        };
    }

    private static String words(Tensor shape) {
        return Arrays.stream(Arguments.longs(shape)).mapToObj(Long::toString).collect(joining(" ", "[", "]"));
    }
}
