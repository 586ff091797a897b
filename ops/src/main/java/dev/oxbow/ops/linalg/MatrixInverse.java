package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Inverses of square matrices, or of their adjoints. */
@Signature(
        "MatrixInverse(input: T) -> (output: T) {adjoint: bool = false; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record MatrixInverse(boolean adjoint) implements Differentiable, MatrixVersions.Inverse {

    /** {@code da = -y* dy y*}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Matrices.product(y, !adjoint, Matrices.product(dy, adjoint, y, !adjoint), false)
                .negated());
    }
}
