package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Determinants of square matrices. */
@Signature("MatrixDeterminant(input: T) -> (output: T) {T: type in [HALF FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record MatrixDeterminant() implements Differentiable, MatrixVersions.Determinant {

    /** {@code da = dy y a^-*}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value inverse = Value.apply(new MatrixInverse(true), g.input(0));
        return List.of(Matrices.times(g.gradient(0).times(g.output(0)), inverse));
    }
}
