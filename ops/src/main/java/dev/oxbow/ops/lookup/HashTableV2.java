package dev.oxbow.ops.lookup;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A table that is filled once. */
@Signature(
        "HashTableV2() -> (table_handle: resource) {container: string = \"\"; shared_name: string = \"\"; use_node_name_sharing: bool = false; key_dtype: type; value_dtype: type} stateful")
public record HashTableV2(
        String container, String sharedName, boolean useNodeNameSharing, DType keyDtype, DType valueDtype)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Tables.inferHandle(false, kind());
    }

    private Table.Kind kind() {
        return new Table.Kind(Table.Form.HASH, keyDtype, Shape.SCALAR, valueDtype, Shape.SCALAR);
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
        return c -> Tables.open(c, container, sharedName, kind(), name -> new Table(name, kind(), List.of()));
    }
}
