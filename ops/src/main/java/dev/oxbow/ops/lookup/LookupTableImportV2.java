package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Replaces the contents of a table. */
@Signature(
        "LookupTableImportV2(table_handle: resource, keys: Tin, values: Tout) -> () {Tin: type; Tout: type} stateful")
public record LookupTableImportV2() implements NotDifferentiable {

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
        return c -> Tables.checked(c).load(c.input(1), c.input(2));
    }
}
