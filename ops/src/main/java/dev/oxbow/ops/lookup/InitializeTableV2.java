package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Fills a table that is filled once. */
@Signature(
        "InitializeTableV2(table_handle: resource, keys: Tkey, values: Tval) -> () {Tkey: type; Tval: type} stateful")
public record InitializeTableV2() implements NotDifferentiable {

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
        return Tables::initialise;
    }
}
