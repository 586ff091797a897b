package dev.oxbow.ops.parse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.Features;
import java.util.ArrayList;
import java.util.List;

/** The features of a batch of Examples, or of one, with ragged ones. */
@Signature(
        "ParseExampleV2(serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, dense_defaults: Tdense) -> (sparse_indices: num_sparse*int64, sparse_values: sparse_types, sparse_shapes: num_sparse*int64, dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types) {Tdense: list(type) in [FLOAT INT64 STRING] >= 0; num_sparse: int >= 0; sparse_types: list(type) in [FLOAT INT64 STRING] >= 0; ragged_value_types: list(type) in [FLOAT INT64 STRING] >= 0; ragged_split_types: list(type) in [INT32 INT64] >= 0; dense_shapes: list(shape) >= 0}")
public record ParseExampleV2(
        long numSparse,
        List<DType> sparseTypes,
        List<DType> raggedValueTypes,
        List<DType> raggedSplitTypes,
        List<Shape> denseShapes)
        implements NotDifferentiable {
    private static final int DEFAULTS = 5;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        ExampleTypes.serialized(c.shape(0));
        int dense = c.inputCount() - DEFAULTS;
        ExampleTypes.same("sparse_types", sparseTypes.size(), numSparse);
        ExampleTypes.same("ragged_split_types", raggedSplitTypes.size(), raggedValueTypes.size());
        ExampleTypes.shapes(denseShapes, dense);
        c.vector(2, numSparse);
        c.vector(3, dense);
        c.vector(4, raggedValueTypes.size());
        List<TensorType> all = new ArrayList<>(ExampleTypes.sparse(sparseTypes, c.shape(0), 2));
        all.addAll(ExampleTypes.dense(c, DEFAULTS, denseShapes, c.shape(0)));
        all.addAll(ExampleTypes.vectors(raggedValueTypes));
        all.addAll(ExampleTypes.vectors(raggedSplitTypes));
        return all;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int s = (int) numSparse, d = c.inputCount() - DEFAULTS;
            ExampleErrors errors = ExampleErrors.ofExamples(c.input(0), c.input(1));
            Examples<Features> rows = Examples.parsed(c.input(0), errors, Features::ofExample);
            FeatureColumns.sparse(c, 0, FeatureColumns.keys(c.input(2)), sparseTypes, rows);
            FeatureColumns.dense(c, 3 * s, FeatureColumns.keys(c.input(3)), denseShapes, DEFAULTS, rows);
            FeatureColumns.ragged(
                    c,
                    3 * s + d,
                    FeatureColumns.keys(c.input(4)),
                    raggedValueTypes,
                    rows,
                    rows.single() ? Shape.of(0) : null);
        };
    }
}
