package dev.oxbow.ops.parse;

import dev.oxbow.graph.Attr;
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

/** Context and lists of features of one SequenceExample. */
@Signature(
        "ParseSingleSequenceExample(serialized: string, feature_list_dense_missing_assumed_empty: string, context_sparse_keys: Ncontext_sparse*string, context_dense_keys: Ncontext_dense*string, feature_list_sparse_keys: Nfeature_list_sparse*string, feature_list_dense_keys: Nfeature_list_dense*string, context_dense_defaults: Tcontext_dense, debug_name: string) -> (context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse*int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse*int64, feature_list_dense_values: feature_list_dense_types) {Ncontext_sparse: int = 0 >= 0; Ncontext_dense: int = 0 >= 0; Nfeature_list_sparse: int = 0 >= 0; Nfeature_list_dense: int = 0 >= 0; context_sparse_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; Tcontext_dense: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_dense_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; context_dense_shapes: list(shape) = [] >= 0; feature_list_sparse_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_dense_shapes: list(shape) = [] >= 0}")
public record ParseSingleSequenceExample(
        @Attr("Ncontext_sparse") long contextSparse,
        @Attr("Ncontext_dense") long contextDense,
        @Attr("Nfeature_list_sparse") long listSparse,
        @Attr("Nfeature_list_dense") long listDense,
        List<DType> contextSparseTypes,
        @Attr("Tcontext_dense") List<DType> contextDenseTypes,
        List<DType> featureListDenseTypes,
        List<Shape> contextDenseShapes,
        List<DType> featureListSparseTypes,
        List<Shape> featureListDenseShapes)
        implements NotDifferentiable {
    private static final int KEYS = 2;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        c.vector(1);
        for (int i = KEYS; i < defaults(); i++) c.scalar(i);
        ExampleTypes.same("context_sparse_types", contextSparseTypes.size(), contextSparse);
        ExampleTypes.same("Tcontext_dense", contextDenseTypes.size(), contextDense);
        ExampleTypes.same("feature_list_sparse_types", featureListSparseTypes.size(), listSparse);
        ExampleTypes.same("feature_list_dense_types", featureListDenseTypes.size(), listDense);
        ExampleTypes.known("context_dense_shapes", contextDenseShapes, (int) contextDense);
        List<TensorType> all = new ArrayList<>(FeatureColumns.sparseTypes(contextSparseTypes, 1));
        all.addAll(ExampleTypes.dense(c, defaults(), contextDenseShapes, Shape.SCALAR));
        all.addAll(FeatureColumns.sparseTypes(featureListSparseTypes, 2));
        all.addAll(ExampleTypes.lists(featureListDenseTypes, featureListDenseShapes, Shape.SCALAR));
        return all;
    }

    private int defaults() {
        return KEYS + (int) (contextSparse + contextDense + listSparse + listDense);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int cs = (int) contextSparse, cd = (int) contextDense, ls = (int) listSparse, ld = (int) listDense;
            ExampleErrors errors = ExampleErrors.ofSequence(c.input(c.inputCount() - 1));
            Examples<Features> context = Examples.parsed(c.input(0), errors, Features::ofContext);
            FeatureColumns.sparse(c, 0, FeatureColumns.keys(c, KEYS, cs), contextSparseTypes, context);
            FeatureColumns.dense(
                    c, 3 * cs, FeatureColumns.keys(c, KEYS + cs, cd), contextDenseShapes, defaults(), context);
            Examples<List<Features.NamedList>> lists = Examples.parsed(c.input(0), errors, Features::lists);
            int at = 3 * cs + cd;
            FeatureLists.sparse(c, at, FeatureColumns.keys(c, KEYS + cs + cd, ls), featureListSparseTypes, lists);
            List<byte[]> keys = FeatureColumns.keys(c, KEYS + cs + cd + ls, ld);
            List<String> empty = FeatureColumns.keys(c.input(1)).stream()
                    .map(FeatureColumns::text)
                    .toList();
            boolean[] mayMiss =
                    ExampleTypes.among(keys.stream().map(FeatureColumns::text).toList(), empty);
            new FeatureLists.Dense(keys, featureListDenseTypes, featureListDenseShapes, mayMiss)
                    .write(c, at + 3 * ls, -1, lists);
        };
    }
}
