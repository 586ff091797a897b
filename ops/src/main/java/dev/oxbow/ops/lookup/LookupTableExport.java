package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** All keys and values of a table. */
@Signature("LookupTableExport(table_handle: ref string) -> (keys: Tkeys, values: Tvalues) {Tkeys: type; Tvalues: type}")
public record LookupTableExport(
        @Attr("Tkeys") DType keyType, @Attr("Tvalues") DType valueType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(keyType), TensorType.of(valueType));
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
        return c -> {
            Table t = Tables.table(c);
            Tables.requireType(t, "key", t.declared().key(), keyType);
            Tables.requireType(t, "value", t.declared().value(), valueType);
            t.export(c);
        };
    }
}
