package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Determinants of square matrices. */
@Signature("MatrixDeterminant(input: T) -> (output: T) {T: type in [HALF FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record MatrixDeterminant() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Matrices.batch(Matrices.square(c, 0))));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.determinant(c.input(0), c.output(0), c.parallel());
    }

    /** {@code da = dy y a^-*}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value inverse = Value.apply(new MatrixInverse(true), g.input(0));
        return List.of(Matrices.times(g.gradient(0).times(g.output(0)), inverse));
    }
}
