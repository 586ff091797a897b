package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** {@code z = (x != y)}; shapes that do not broadcast give true where that is no error. */
@Signature("NotEqual(x: T, y: T) -> (z: bool) {T: type; incompatible_shape_error: bool = true} commutative")
public record NotEqual(boolean incompatibleShapeError) implements BinaryOp, NotDifferentiable {
    public NotEqual() {
        this(true);
    }

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.notEqualTo(y);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Equality.infer(c, incompatibleShapeError);
    }

    @Override
    public Kernel cpu() {
        return Equality.kernel(this, false);
    }
}
