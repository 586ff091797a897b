package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Products of batches of matrices, with the adjoint of either side; batch dimensions are equal. */
@Signature(
        "BatchMatMul(x: T, y: T) -> (output: T) {T: type in [BFLOAT16 HALF FLOAT DOUBLE INT32 INT64 COMPLEX64 COMPLEX128]; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false}")
public record BatchMatMul(boolean adjX, boolean adjY) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return product().infer(c);
    }

    private MatMuls product() {
        return new MatMuls(adjX, adjY, false);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return product().cut(c, outputs, axis);
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return product().sum(c, outputs, axis);
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return product().work(c, outputs);
    }

    @Override
    public Kernel cpu() {
        return product().kernel();
    }

    /** {@code dx = dz y*}, {@code dy = x* dz}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return product().gradient(g);
    }
}
