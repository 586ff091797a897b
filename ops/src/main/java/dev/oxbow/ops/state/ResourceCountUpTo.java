package dev.oxbow.ops.state;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The value of a counter before it is increased by one; OUT_OF_RANGE at the limit. */
@Signature("ResourceCountUpTo(resource: resource) -> (output: T) {limit: int; T: type in [INT32 INT64]} stateful")
public record ResourceCountUpTo(long limit, @Attr("T") DType type) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Counting.infer(Variables.type(c, 0, type)));
    }

    @Override
    public Kernel cpu() {
        return c -> Counting.run(c, Variables.existing(c, 0), limit);
    }
}
