package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Matrix product in f32 of operands that may hold many zeros. */
@Signature(
        "SparseMatMul(a: Ta, b: Tb) -> (product: float) {transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: bool = false; b_is_sparse: bool = false; Ta: type in [FLOAT BFLOAT16] = FLOAT; Tb: type in [FLOAT BFLOAT16] = FLOAT}")
public record SparseMatMul(boolean transposeA, boolean transposeB, boolean aIsSparse, boolean bIsSparse)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 2; i++)
            require(
                    c.shape(i).rank() == 2 || !c.shape(i).isRankKnown(),
                    INVALID_ARGUMENT,
                    "input %d is not a matrix: %s",
                    i,
                    c.shape(i));
        return product().infer(c);
    }

    private MatMuls product() {
        return new MatMuls(transposeA, transposeB, false);
    }

    @Override
    public Kernel cpu() {
        return product().kernel();
    }

    /** As for a dense product, in f32. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0).cast(DType.F32), b = g.input(1).cast(DType.F32), dc = g.gradient(0);
        Value da = transposeA ? b.matMul(dc, transposeB, true) : dc.matMul(b, false, !transposeB);
        Value db = transposeB ? dc.matMul(a, true, transposeA) : a.matMul(dc, !transposeA, false);
        return List.of(da.cast(g.input(0).dtype()), db.cast(g.input(1).dtype()));
    }
}
