package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.stream.IntStream;

/** The input without dimensions of size 1: those named, or all. */
@Signature("Squeeze(input: T) -> (output: T) {T: type; squeeze_dims: list(int) = [] >= 0}")
public record Squeeze(List<Integer> squeezeDims) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        if (!x.isRankKnown() || squeezeDims.isEmpty() && !x.isFullyKnown())
            return List.of(c.input(0).withShape(Shape.UNKNOWN));
        return List.of(c.input(0).withShape(squeezed(x)));
    }

    private Shape squeezed(Shape x) {
        boolean[] gone = new boolean[x.rank()];
        for (int d : squeezeDims) {
            require(
                    d >= -x.rank() && d < x.rank(),
                    INVALID_ARGUMENT,
                    "Tried to squeeze dim index %d for tensor with %d dimensions.",
                    d,
                    x.rank());
            int at = d < 0 ? d + x.rank() : d;
            require(
                    x.dim(at) < 0 || x.dim(at) == 1,
                    INVALID_ARGUMENT,
                    "Can not squeeze dim[%d], expected a dimension of 1, got %d",
                    at,
                    x.dim(at));
            gone[at] = true;
        }
        long[] kept = IntStream.range(0, x.rank())
                .filter(d -> squeezeDims.isEmpty() ? x.dim(d) != 1 : !gone[d])
                .mapToLong(x::dim)
                .toArray();
        return Shape.of(kept);
    }

    @Override
    public int view() {
        return 0;
    }

    @Override
    public Kernel cpu() {
        return Reshaping.kernel(this::squeezed);
    }

    /** {@code dx = dy} in the shape of x. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Reshaping.back(g));
    }
}
