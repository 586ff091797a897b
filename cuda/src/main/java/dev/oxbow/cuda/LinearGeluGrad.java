package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code dx = (a b) gelu'(x)}, by tanh, in one product. Made when a card's part is compiled. */
@Signature(
        "_LinearGeluGrad(a: T, b: T, x: T) -> (dx: T) {T: type; transpose_a: bool = false; transpose_b: bool = false}")
public record LinearGeluGrad(boolean transposeA, boolean transposeB) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return new MatMul(transposeA, transposeB).infer(c);
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return new MatMul(transposeA, transposeB).work(c, outputs);
    }

    @Override
    public Kernel cpu() {
        Kernel product = new MatMul(transposeA, transposeB).cpu();
        return c -> {
            product.run(c);
            Tensor dx = c.output(0);
            Expr dy = Expr.input(0, dx.dtype()), x = Expr.input(1, dx.dtype());
            ElementwiseKernel.of(GeluFormulas.gradient(dy, x))
                    .run(c.parallel(), dx.shape(), new Tensor[] {dx, c.input(2)}, new Tensor[] {dx});
        };
    }
}
