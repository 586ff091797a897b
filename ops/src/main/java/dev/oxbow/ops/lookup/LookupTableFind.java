package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** The values of keys in a table, or the default for keys that are not there. */
@Signature(
        "LookupTableFind(table_handle: ref string, keys: Tin, default_value: Tout) -> (values: Tout) {Tin: type; Tout: type}")
public record LookupTableFind() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Tables.inferFind(c);
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return Tables::find;
    }
}
