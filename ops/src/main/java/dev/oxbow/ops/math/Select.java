package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** {@code y = condition ? t : e}; the condition has their shape, or is one truth per row or for all. */
@Signature("Select(condition: bool, t: T, e: T) -> (output: T) {T: type}")
public record Select() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape condition = c.shape(0), s = Arguments.merge(c.shape(1), c.shape(2));
        if (condition.isRankKnown() && s.isRankKnown() && !condition.isScalar()) {
            boolean rows =
                    condition.rank() == 1 && s.rank() >= 1 && Shape.of(s.dim(0)).isCompatibleWith(condition);
            require(
                    rows || condition.isCompatibleWith(s),
                    INVALID_ARGUMENT,
                    "'cond' must be a scalar, a vector of as many rows, or have the shape of 't': %s vs. %s",
                    condition,
                    s);
        }
        return List.of(c.input(1).withShape(s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor condition = c.input(0);
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, c.input(1).shape());
            long[] dims = new long[y.shape().rank()];
            Arrays.fill(dims, 1);
            boolean rows = condition.shape().rank() == 1 && dims.length > 1;
            if (rows) dims[0] = condition.size();
            Tensor seen = condition.view(rows ? Shape.of(dims) : condition.shape());
            Selection.run(c, seen, c.input(1), c.input(2), y);
            seen.release();
        };
    }

    /** {@code dt = condition ? dy : 0}, {@code de = condition ? 0 : dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value condition = g.input(0), dy = g.gradient(0), zeros = Value.apply(new ZerosLike(), dy);
        return Arrays.asList(
                null, Value.apply(new Select(), condition, dy, zeros), Value.apply(new Select(), condition, zeros, dy));
    }
}
