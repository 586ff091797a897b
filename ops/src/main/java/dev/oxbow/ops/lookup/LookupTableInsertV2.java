package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Puts keys with values into a table. */
@Signature(
        "LookupTableInsertV2(table_handle: resource, keys: Tin, values: Tout) -> () {Tin: type; Tout: type} stateful")
public record LookupTableInsertV2() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public Kernel cpu() {
        return c -> Tables.checked(c).insert(c.input(1), c.input(2));
    }
}
