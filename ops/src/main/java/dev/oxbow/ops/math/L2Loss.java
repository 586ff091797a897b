package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;

/** Half the sum of squares: {@code y = sum(x^2) / 2}. */
@Signature("L2Loss(t: T) -> (output: T) {T: type in [FLOATING]}")
public record L2Loss() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.dtype(0), Shape.SCALAR));
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return Pieces.summands(outputs, axis);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            Expr e = Expr.input(0, x.dtype());
            int[] axes = IntStream.range(0, x.shape().rank()).toArray();
            Reduction.of(Reduction.Operation.SUM, e.square().times(e.literal(0.5)))
                    .run(c.parallel(), x.shape(), axes, new Tensor[] {x}, c.output(0));
        };
    }

    /** {@code dx = x dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.input(0).times(g.gradient(0)));
    }
}
