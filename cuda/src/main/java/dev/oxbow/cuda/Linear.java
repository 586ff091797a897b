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

/**
 * A product with what follows it done before its result is written: {@code y = a b + more}, which is a bias, rectified on request,
 * or a matrix of the result's shape. Made when a card's part is compiled.
 */
@Signature(
        "_Linear(a: T, b: T, more: T) -> (y: T) {T: type; transpose_a: bool = false; transpose_b: bool = false; relu: bool = false}")
public record Linear(boolean transposeA, boolean transposeB, boolean relu) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        boolean matrix = c.shape(2).isRankKnown() && c.shape(2).rank() == 2;
        if (relu || !matrix) c.vector(2);
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
            Expr sum = Expr.input(0, y.dtype()).plus(Expr.input(1, y.dtype()));
            ElementwiseKernel.of(relu ? sum.relu() : sum)
                    .run(c.parallel(), y.shape(), new Tensor[] {y, c.input(2)}, new Tensor[] {y});
        };
    }
}
