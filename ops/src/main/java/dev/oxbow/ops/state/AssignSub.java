package dev.oxbow.ops.state;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Updating;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Subtracts from a referenced variable: {@code ref = ref - value}. */
@Signature("AssignSub(ref: ref T, value: T) -> (output_ref: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record AssignSub() implements NotDifferentiable, Giving, Updating {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Accumulation.check(c.shape(0), c.shape(1));
        return List.of(TensorType.ref(c.dtype(1), c.shape(0).merge(c.shape(1))));
    }

    @Override
    public int variables() {
        return 1;
    }

    @Override
    public List<Expr> updates(List<Expr> inputs) {
        return List.of(inputs.get(0).minus(inputs.get(1)));
    }

    @Override
    public void checkShapes(Shape[] shapes) {
        Accumulation.check(shapes[0], shapes[1]);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Accumulation.run(c, Variables.of(c, 0), true);
            c.forward(0, 0);
        };
    }
}
