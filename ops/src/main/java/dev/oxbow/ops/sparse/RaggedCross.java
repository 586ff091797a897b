package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Crosses of features of ragged, sparse and dense inputs, which {@code input_order} names as R, S and D, as ragged rows. */
@Signature(
        "RaggedCross(ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, sparse_indices: Nsparse*int64, sparse_values: sparse_values_types, sparse_shape: Nsparse*int64, dense_inputs: dense_types) -> (output_values: out_values_type, output_row_splits: out_row_splits_type) {Nsparse: int >= 0; input_order: string; hashed_output: bool; num_buckets: int >= 0; hash_key: int; ragged_values_types: list(type) in [INT64 STRING] >= 0; ragged_splits_types: list(type) in [INT32 INT64] >= 0; sparse_values_types: list(type) in [INT64 STRING] >= 0; dense_types: list(type) in [INT64 STRING] >= 0; out_values_type: type in [INT64 STRING]; out_row_splits_type: type in [INT32 INT64]}")
public record RaggedCross(
        @Attr("Nsparse") long sparse,
        String inputOrder,
        boolean hashedOutput,
        long numBuckets,
        long hashKey,
        List<DType> raggedValuesTypes,
        List<DType> raggedSplitsTypes,
        List<DType> sparseValuesTypes,
        List<DType> denseTypes,
        DType outValuesType,
        DType outRowSplitsType)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        count('R', raggedValuesTypes.size());
        count('S', sparse);
        count('D', denseTypes.size());
        require(
                hashedOutput == (outValuesType == DType.I64),
                INVALID_ARGUMENT,
                "hashed_output is %s, out_values_type must be %s, got %s",
                hashedOutput,
                hashedOutput ? "int64" : "string",
                outValuesType.inWords());
        return List.of(new TensorType(outValuesType, Shape.of(-1)), new TensorType(outRowSplitsType, Shape.of(-1)));
    }

    private void count(char kind, long inputs) {
        long named = inputOrder.chars().filter(x -> x == kind).count();
        require(
                named == inputs,
                INVALID_ARGUMENT,
                "input_order \"%s\" names %d inputs of kind %s, there are %d",
                inputOrder,
                named,
                kind,
                inputs);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            FeatureCross cross = columns(c);
            long[] starts = cross.starts();
            cross.values(
                    c,
                    0,
                    starts,
                    hashedOutput
                            ? cross.buckets(hashKey, FeatureCross::fingerprint, numBuckets)
                            : cross.texts(SparseCross.BETWEEN));
            require(
                    outRowSplitsType == DType.I64 || starts[cross.rows()] <= Integer.MAX_VALUE,
                    INVALID_ARGUMENT,
                    "%d values are more than splits of int32 can count",
                    starts[cross.rows()]);
            Tensor splits = c.allocate(1, Shape.of(starts.length));
            for (int i = 0; i < starts.length; i++) splits.setLong(i, starts[i]);
        };
    }

    private FeatureCross columns(KernelContext c) {
        int ragged = raggedValuesTypes.size(), s = (int) sparse, r = 0, sparseAt = 2 * ragged, dense = sparseAt + 3 * s;
        FeatureCross cross = new FeatureCross();
        for (char kind : inputOrder.toCharArray()) {
            switch (kind) {
                case 'R' -> cross.ragged(c.input(r), c.input(ragged + r++));
                case 'S' -> {
                    cross.sparse(c.input(sparseAt), c.input(sparseAt + s), c.input(sparseAt + 2 * s));
                    sparseAt++;
                }
                case 'D' -> cross.dense(c.input(dense++));
                default ->
                    throw new OxbowException(
                            INVALID_ARGUMENT, "input_order must have R, S and D, got \"%s\"".formatted(inputOrder));
            }
        }
        return cross;
    }
}
