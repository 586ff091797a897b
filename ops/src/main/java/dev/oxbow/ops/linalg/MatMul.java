package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.SumOfProducts;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Gemm;
import dev.oxbow.kernels.numeric.MatrixProduct;
import dev.oxbow.kernels.numeric.MatrixProduct.Form;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Matrix product: {@code c = a b}, either side transposed first. */
@Signature(
        "MatMul(a: T, b: T) -> (product: T) {transpose_a: bool = false; transpose_b: bool = false; T: type in [FLOATING INT32 INT64 UINT8 UINT16 UINT32 UINT64 COMPLEX]; grad_a: bool = false; grad_b: bool = false}")
public record MatMul(boolean transposeA, boolean transposeB) implements Differentiable, SumOfProducts {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = matrix(c, 0), b = matrix(c, 1);
        long inner = a.dim(transposeA ? 0 : 1), other = b.dim(transposeB ? 1 : 0);
        require(
                inner < 0 || other < 0 || inner == other,
                INVALID_ARGUMENT,
                "Matrix size-incompatible: In[0]: %s, In[1]: %s: inner dimensions differ",
                a,
                b);
        return List.of(new TensorType(c.dtype(0), Shape.of(a.dim(transposeA ? 1 : 0), b.dim(transposeB ? 0 : 1))));
    }

    private static Shape matrix(InferenceContext c, int i) {
        Shape s = c.shape(i).isRankKnown() ? c.shape(i) : Shape.ofRank(2);
        require(s.rank() == 2, INVALID_ARGUMENT, "In[%d] is not a matrix, got %s", i, c.input(i));
        return s;
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        if (axis == 1) return Pieces.along(1, outputs, Pieces.WHOLE, transposeB ? 0 : 1);
        if (transposeA) return Pieces.along(0, outputs, 1, Pieces.WHOLE);
        Shape b = c.shape(1);
        long multiple = Gemm.rowMultiple(b.dim(transposeB ? 0 : 1), b.dim(transposeB ? 1 : 0));
        return new Pieces(new int[] {0, Pieces.WHOLE}, new int[] {0}, multiple);
    }

    @Override
    public int summedAxis(int input) {
        return input == 0 ? (transposeA ? 0 : 1) : (transposeB ? 1 : 0);
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return 2.0 * outputs.get(0).shape().size() * c.shape(0).dim(transposeA ? 0 : 1);
    }

    @Override
    public Kernel cpu() {
        MatrixProduct product = MatrixProduct.of(Form.of(transposeA, false), Form.of(transposeB, false));
        return c -> product.run(c.input(0), c.input(1), c.output(0), c.scratch(), c.parallel());
    }

    /** {@code da = dc b'}, {@code db = a' dc}, with the transpositions of each side moved along. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0).conj(), b = g.input(1).conj(), dc = g.gradient(0);
        if (!transposeA && !transposeB) return List.of(dc.matMul(b, false, true), a.matMul(dc, true, false));
        if (!transposeA) return List.of(dc.matMul(b, false, false), dc.matMul(a, true, false));
        if (!transposeB) return List.of(b.matMul(dc, false, true), a.matMul(dc, false, false));
        return List.of(b.matMul(dc, true, true), dc.matMul(a, true, true));
    }
}
