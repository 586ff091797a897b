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

/** The number of entries in a table. */
@Signature("LookupTableSizeV2(table_handle: resource) -> (size: int64) stateful")
public record LookupTableSizeV2() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I64, Shape.SCALAR));
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, Tables.table(c).size());
    }
}
