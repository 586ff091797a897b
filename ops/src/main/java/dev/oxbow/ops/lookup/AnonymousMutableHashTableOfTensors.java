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

/** A table of vectors and that nobody else can find. */
@Signature(
        "AnonymousMutableHashTableOfTensors() -> (table_handle: resource) {key_dtype: type; value_dtype: type; value_shape: shape = shape { }} stateful")
public record AnonymousMutableHashTableOfTensors(DType keyDtype, DType valueDtype, Shape valueShape)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Tables.inferHandle(false, kind());
    }

    private Table.Kind kind() {
        return new Table.Kind(Table.Form.TENSORS, keyDtype, Shape.SCALAR, valueDtype, valueShape);
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
        return c -> Tables.openNew(c, new Table(c.node(), kind(), List.of()));
    }
}
