package dev.oxbow.ops.csr;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Each matrix transposed, or its adjoint. */
@Signature(
        "SparseMatrixTranspose(input: variant) -> (output: variant) {conjugate: bool = false; type: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record SparseMatrixTranspose(
        boolean conjugate, @Attr("type") DType type) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Products.transpose(CsrMatrix.of(c, 0, type), conjugate).give(c, 0);
        };
    }

    /** {@code dy} transposed likewise. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(this, g.gradient(0)));
    }
}
