package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixProduct;
import dev.oxbow.kernels.numeric.MatrixProduct.Form;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The product of matrices of levels, each counted from the one that stands for zero, in 32 bits. */
@Signature(
        "QuantizedMatMul(a: T1, b: T2, min_a: float, max_a: float, min_b: float, max_b: float) -> (out: Toutput, min_out: float, max_out: float) {T1: type in [QUANTISED]; T2: type in [QUANTISED]; Toutput: type in [QUANTISED] = QINT32; transpose_a: bool = false; transpose_b: bool = false; Tactivation: type in [QUANTISED] = QUINT8}")
public record QuantizedMatMul(
        @Attr("Toutput") DType outType,
        boolean transposeA,
        boolean transposeB,
        @Attr("Tactivation") DType activation) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 2, 6);
        return Ranged.types(
                c, new MatMul(transposeA, transposeB).infer(c).get(0).shape());
    }

    @Override
    public Kernel cpu() {
        MatrixProduct product = MatrixProduct.of(Form.of(transposeA, false), Form.of(transposeB, false));
        return c -> {
            Levels a = Levels.of(c.input(0), c, 2), b = Levels.of(c.input(1), c, 4);
            Tensor left = Ranged.centred(c, 0, a), right = Ranged.centred(c, 1, b);
            Tensor sums = c.temporary(DType.I32, c.output(0).shape());
            product.run(left, right, sums, c.scratch(), c.parallel());
            Ranged.put(sums, c.output(0));
            for (Tensor t : List.of(left, right, sums)) t.release();
            Ranged.give(c, Levels.ofProducts(a, b, outType));
        };
    }
}
