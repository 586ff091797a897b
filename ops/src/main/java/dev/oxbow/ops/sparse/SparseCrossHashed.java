package dev.oxbow.ops.sparse;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Crosses of features as buckets of their fingerprints, by a keyed hash where that is asked for. */
@Signature(
        "SparseCrossHashed(indices: N*int64, values: sparse_types, shapes: N*int64, dense_inputs: dense_types, num_buckets: int64, strong_hash: bool, salt: int64) -> (output_indices: int64, output_values: int64, output_shape: int64) {N: int >= 0; sparse_types: list(type) in [INT64 STRING] >= 0; dense_types: list(type) in [INT64 STRING] >= 0}")
public record SparseCrossHashed(@Attr("N") long n, List<DType> sparseTypes, List<DType> denseTypes)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int from = c.inputCount() - 3;
        c.scalar(from);
        c.scalar(from + 1);
        c.vector(from + 2, 2);
        return Coordinates.types(DType.I64, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int from = c.inputCount() - 3;
            long a = c.input(from + 2).getLong(0), b = c.input(from + 2).getLong(1);
            FeatureCross.Hash hash =
                    c.input(from + 1).getLong(0) != 0 ? s -> Hashes.sip(a, b, s) : FeatureCross::fingerprint;
            FeatureCross cross = FeatureCross.of(c, (int) n, denseTypes.size());
            cross.sparseMatrix(c, cross.buckets(null, hash, c.input(from).getLong(0)));
        };
    }
}
