package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The principal square root of square matrices: {@code y y = a}. */
@Signature("MatrixSquareRoot(input: T) -> (output: T) {T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record MatrixSquareRoot() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Matrices.square(c, 0)));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.squareRoot(c.input(0), c.output(0), c.parallel());
    }

    /** Solves {@code y* da + da y* = dy} as one linear system over the elements. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return SquareRootGradient.of(g.output(0), g.gradient(0));
    }
}
