package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.List;

/** Values joined along an axis, which comes first. */
@Signature("Concat(concat_dim: int32, values: N*T) -> (output: T) {N: int >= 2; T: type}")
public record Concat() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("concat_dim", c.shape(0));
        return List.of(c.input(1).withShape(Joins.infer(c, 1, c.inputCount() - 1, c.longs(0))));
    }

    @Override
    public Kernel cpu() {
        return c -> Joins.run(c, 1, c.inputCount() - 1, c.input(0).getLong(0));
    }

    /** The parts of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> all = new ArrayList<>();
        all.add(null);
        all.addAll(Joins.gradient(g, 1, g.node().inputCount() - 1, g.input(0)));
        return all;
    }
}
