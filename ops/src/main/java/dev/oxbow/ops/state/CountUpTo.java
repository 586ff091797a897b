package dev.oxbow.ops.state;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import java.util.List;

/** The value of a referenced counter before it is increased by one; OUT_OF_RANGE at the limit. */
@Signature("CountUpTo(ref: ref T) -> (output: T) {limit: int; T: type in [INT32 INT64]}")
public record CountUpTo(long limit) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Counting.infer(c.input(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> Counting.run(c, Variables.of(c, 0), limit);
    }
}
