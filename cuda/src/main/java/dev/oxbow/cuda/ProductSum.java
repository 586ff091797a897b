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

/** A product to which a matrix of its shape is added before it is written: {@code y = a b + c}. Made when a card's part is compiled. */
@Signature("_ProductSum(a: T, b: T, c: T) -> (y: T) {T: type; transpose_a: bool = false; transpose_b: bool = false}")
public record ProductSum(boolean transposeA, boolean transposeB) implements Op {

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
            Tensor y = c.output(0);
            ElementwiseKernel.of(Expr.input(0, y.dtype()).plus(Expr.input(1, y.dtype())))
                    .run(c.parallel(), y.shape(), new Tensor[] {y, c.input(2)}, new Tensor[] {y});
        };
    }
}
