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
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Cross product of vectors of three: {@code y = a x b}. */
@Signature("Cross(a: T, b: T) -> (product: T) {T: type in [REAL]}")
public record Cross() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Arguments.merge(c.shape(0), c.shape(1));
        Arguments.atLeast("a", s, 1);
        require(
                s.rank() < 0 || s.dim(-1) < 0 || s.dim(-1) == 3,
                INVALID_ARGUMENT,
                "Cross-products are only defined for 3-element vectors, got shape %s",
                s);
        return List.of(c.input(0).withShape(s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor a = c.input(0), b = c.input(1), y = c.output(0);
            for (long i = 0; i < y.size(); i += 3) {
                for (int k = 0; k < 3; k++) {
                    long p = i + (k + 1) % 3, q = i + (k + 2) % 3;
                    if (y.dtype().isFloating())
                        y.set(i + k, a.getDouble(p) * b.getDouble(q) - a.getDouble(q) * b.getDouble(p));
                    else y.setLong(i + k, a.getLong(p) * b.getLong(q) - a.getLong(q) * b.getLong(p));
                }
            }
        };
    }

    /** {@code da = b x dy}, {@code db = dy x a}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), b = g.input(1), dy = g.gradient(0);
        return List.of(Value.apply(this, b, dy), Value.apply(this, dy, a));
    }
}
