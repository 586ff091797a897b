package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The dimensions in another order, and the complex conjugate of every element. */
@Signature("ConjugateTranspose(x: T, perm: Tperm) -> (y: T) {T: type; Tperm: type in [INT32 INT64] = INT32}")
public record ConjugateTranspose() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Permutations.infer(c)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Permutations.run(c);
            Tensor y = c.output(0);
            if (y.dtype().isComplex())
                ElementwiseKernel.of(Expr.input(0, y.dtype()).conj())
                        .run(c.parallel(), y.shape(), new Tensor[] {y}, new Tensor[] {y});
        };
    }

    /** {@code dx} = the conjugate of dy in the inverse order. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value inverse = Value.apply(new InvertPermutation(), g.input(1));
        return Arrays.asList(Value.apply(this, g.gradient(0), inverse), null);
    }
}
