package dev.oxbow.ops.sparse;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Crosses of features as texts, with a separator that is given. */
@Signature(
        "SparseCrossV2(indices: N*int64, values: sparse_types, shapes: N*int64, dense_inputs: dense_types, sep: string) -> (output_indices: int64, output_values: string, output_shape: int64) {N: int >= 0; sparse_types: list(type) in [INT64 STRING] >= 0; dense_types: list(type) in [INT64 STRING] >= 0}")
public record SparseCrossV2(@Attr("N") long n, List<DType> sparseTypes, List<DType> denseTypes)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(c.inputCount() - 1);
        return Coordinates.types(DType.STRING, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            FeatureCross cross = FeatureCross.of(c, (int) n, denseTypes.size());
            cross.sparseMatrix(
                    c, cross.texts((byte[]) c.input(c.inputCount() - 1).objects()[0]));
        };
    }
}
