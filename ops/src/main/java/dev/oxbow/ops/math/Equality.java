package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What Equal and NotEqual share: shapes that need not fit, and strings. */
final class Equality {
    private Equality() {}

    static List<TensorType> infer(InferenceContext c, boolean incompatibleShapeError) {
        Shape s = Shape.broadcast(c.shape(0), c.shape(1));
        require(
                s != null || !incompatibleShapeError,
                INVALID_ARGUMENT,
                "Incompatible shapes: %s vs. %s",
                c.shape(0),
                c.shape(1));
        if (s == null) s = Shape.SCALAR;
        else if (!incompatibleShapeError
                && !(c.shape(0).isFullyKnown() && c.shape(1).isFullyKnown())) s = Shape.UNKNOWN;
        return List.of(new TensorType(DType.BOOL, s));
    }

    static Kernel kernel(Elementwise op, boolean equal) {
        Kernel numbers = new ElementwiseCpu(op);
        return c -> {
            Tensor x = c.input(0), y = c.input(1), z = c.output(0);
            if (Shape.broadcast(x.shape(), y.shape()) == null) {
                z.setLong(0, equal ? 0 : 1);
            } else if (x.dtype() == DType.STRING) {
                StringLoops.broadcast(x, y, z.shape(), (i, a, b) -> z.setLong(i, Arrays.equals(a, b) == equal ? 1 : 0));
            } else {
                numbers.run(c);
            }
        };
    }
}
