package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Crosses of features, as texts or as buckets of their fingerprints. */
@Signature(
        "SparseCross(indices: N*int64, values: sparse_types, shapes: N*int64, dense_inputs: dense_types) -> (output_indices: int64, output_values: out_type, output_shape: int64) {N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: int; sparse_types: list(type) in [INT64 STRING] >= 0; dense_types: list(type) in [INT64 STRING] >= 0; out_type: type in [INT64 STRING]; internal_type: type in [INT64 STRING]}")
public record SparseCross(
        @Attr("N") long n,
        boolean hashedOutput,
        long numBuckets,
        long hashKey,
        List<DType> sparseTypes,
        List<DType> denseTypes,
        DType outType,
        DType internalType)
        implements NotDifferentiable {
    static final byte[] BETWEEN = "_X_".getBytes(StandardCharsets.US_ASCII);

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                hashedOutput == (outType == DType.I64),
                INVALID_ARGUMENT,
                "hashed_output is %s, out_type must be %s, got %s",
                hashedOutput,
                hashedOutput ? "int64" : "string",
                outType.inWords());
        return Coordinates.types(outType, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            FeatureCross cross = FeatureCross.of(c, (int) n, denseTypes.size());
            cross.sparseMatrix(
                    c,
                    hashedOutput
                            ? cross.buckets(hashKey, FeatureCross::fingerprint, numBuckets)
                            : cross.texts(BETWEEN));
        };
    }
}
