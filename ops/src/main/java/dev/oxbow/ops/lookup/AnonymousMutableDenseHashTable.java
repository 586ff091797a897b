package dev.oxbow.ops.lookup;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A table with two keys that cannot be used and that nobody else can find. */
@Signature(
        "AnonymousMutableDenseHashTable(empty_key: key_dtype, deleted_key: key_dtype) -> (table_handle: resource) {key_dtype: type; value_dtype: type; value_shape: shape = shape { }; initial_num_buckets: int = 131072; max_load_factor: float = 0.8} stateful")
public record AnonymousMutableDenseHashTable(
        DType valueDtype, Shape valueShape, long initialNumBuckets, float maxLoadFactor)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Tables.inferHandle(c, Tables.dense(c.shape(0), c.dtype(0), valueDtype, valueShape));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Element> forbidden = Tables.forbidden(c, valueShape, initialNumBuckets, maxLoadFactor);
            Table.Kind kind = Tables.dense(c.input(0).shape(), c.input(0).dtype(), valueDtype, valueShape);
            Tables.openNew(c, Table.dense(c.node(), kind, forbidden, initialNumBuckets, maxLoadFactor));
        };
    }
}
