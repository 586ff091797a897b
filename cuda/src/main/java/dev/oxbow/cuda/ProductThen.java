package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A product of two matrices with what follows it, elementwise, done before its result is written. Made when a card's part is compiled. */
interface ProductThen extends Op {
    boolean transposeA();

    boolean transposeB();

    /** The outputs, of an element of the product and of the third input. */
    List<Expr> then(Expr product, Expr third);

    private MatMul product() {
        return new MatMul(transposeA(), transposeB());
    }

    @Override
    default List<TensorType> infer(InferenceContext c) {
        return product().infer(c);
    }

    @Override
    default double work(InferenceContext c, List<TensorType> outputs) {
        return product().work(c, outputs);
    }

    @Override
    default Kernel cpu() {
        Kernel product = product().cpu();
        return c -> {
            product.run(c); // into the first output, which is written again
            Tensor y = c.output(0);
            ElementwiseKernel.of(then(Expr.input(0, y.dtype()), Expr.input(1, y.dtype())))
                    .run(c.parallel(), y.shape(), new Tensor[] {y, c.input(2)}, c.outputs());
        };
    }
}
