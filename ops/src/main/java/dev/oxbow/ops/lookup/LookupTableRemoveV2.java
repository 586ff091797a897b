package dev.oxbow.ops.lookup;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Removes keys from a table. */
@Signature("LookupTableRemoveV2(table_handle: resource, keys: Tin) -> () {Tin: type} stateful")
public record LookupTableRemoveV2() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Table t = Tables.table(c);
            Tables.batch(t, c.input(1));
            t.remove(c.input(1));
        };
    }
}
