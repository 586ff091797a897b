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

/** {@code x = a b + bias} and {@code y = gelu(x)}, by tanh, in one product. Made when a card's part is compiled. */
@Signature("_LinearGelu(a: T, b: T, bias: T) -> (y: T, x: T) {T: type; transpose_a: bool = false; transpose_b: bool ="
        + " false}")
public record LinearGelu(boolean transposeA, boolean transposeB) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(2);
        TensorType x = new MatMul(transposeA, transposeB).infer(c).getFirst();
        return List.of(x, x);
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return new MatMul(transposeA, transposeB).work(c, outputs);
    }

    @Override
    public Kernel cpu() {
        Kernel product = new MatMul(transposeA, transposeB).cpu();
        return c -> {
            product.run(c); // into y, which is written again
            Tensor y = c.output(0), x = c.output(1);
            Expr sum = Expr.input(0, y.dtype()).plus(Expr.input(1, y.dtype()));
            ElementwiseKernel.of(GeluFormulas.value(sum), sum)
                    .run(c.parallel(), y.shape(), new Tensor[] {y, c.input(2)}, new Tensor[] {y, x});
        };
    }
}
