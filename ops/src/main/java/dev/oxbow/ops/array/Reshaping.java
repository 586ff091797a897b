package dev.oxbow.ops.array;

import dev.oxbow.graph.Kernel;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.function.UnaryOperator;

/** What ops share that give the same elements another shape. */
final class Reshaping {
    private Reshaping() {}

    /** Forwards the input in the shape that {@code to} makes of the input's shape. */
    static Kernel kernel(UnaryOperator<Shape> to) {
        return c -> c.forward(0, 0, to.apply(c.input(0).shape()));
    }

    /** {@code dx = dy} in the shape of x. */
    static Value back(GradientContext g) {
        Value x = g.input(0);
        Shape s = x.shape();
        return s.isFullyKnown() && s.rank() > 0 && s.size() <= Integer.MAX_VALUE
                ? g.gradient(0).reshape(s.dims())
                : g.gradient(0).reshape(x.runtimeShape());
    }
}
