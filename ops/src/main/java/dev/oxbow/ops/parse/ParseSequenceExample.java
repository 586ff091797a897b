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

/** Contexts and lists of features of a batch of SequenceExamples. */
@Signature(
        "ParseSequenceExample(serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense) -> (context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse*int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse*int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense*int64) {feature_list_dense_missing_assumed_empty: list(string) >= 0; context_sparse_keys: list(string) >= 0; context_dense_keys: list(string) >= 0; feature_list_sparse_keys: list(string) >= 0; feature_list_dense_keys: list(string) >= 0; Ncontext_sparse: int = 0 >= 0; Ncontext_dense: int = 0 >= 0; Nfeature_list_sparse: int = 0 >= 0; Nfeature_list_dense: int = 0 >= 0; context_sparse_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; Tcontext_dense: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_dense_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; context_dense_shapes: list(shape) = [] >= 0; feature_list_sparse_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_dense_shapes: list(shape) = [] >= 0}")
public record ParseSequenceExample(
        List<String> featureListDenseMissingAssumedEmpty,
        List<String> contextSparseKeys,
        List<String> contextDenseKeys,
        List<String> featureListSparseKeys,
        List<String> featureListDenseKeys,
        @Attr("Ncontext_sparse") long contextSparse,
        @Attr("Ncontext_dense") long contextDense,
        @Attr("Nfeature_list_sparse") long listSparse,
        @Attr("Nfeature_list_dense") long listDense,
        List<DType> contextSparseTypes,
        List<DType> featureListDenseTypes,
        List<Shape> contextDenseShapes,
        List<DType> featureListSparseTypes,
        List<Shape> featureListDenseShapes)
        implements NotDifferentiable {
    private static final int DEFAULTS = 2;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        ExampleTypes.same("context_sparse_keys", contextSparseKeys.size(), contextSparse);
        ExampleTypes.same("context_sparse_types", contextSparseTypes.size(), contextSparse);
        ExampleTypes.same("context_dense_keys", contextDenseKeys.size(), c.inputCount() - DEFAULTS);
        ExampleTypes.same("feature_list_sparse_keys", featureListSparseKeys.size(), listSparse);
        ExampleTypes.same("feature_list_sparse_types", featureListSparseTypes.size(), listSparse);
        ExampleTypes.same("feature_list_dense_keys", featureListDenseKeys.size(), listDense);
        ExampleTypes.same("feature_list_dense_types", featureListDenseTypes.size(), listDense);
        ExampleTypes.known("context_dense_shapes", contextDenseShapes, contextDenseKeys.size());
        Shape batch = Shape.of(c.shape(0).rank() == 1 ? c.shape(0).dim(0) : -1);
        List<TensorType> all = new ArrayList<>(FeatureColumns.sparseTypes(contextSparseTypes, 2));
        all.addAll(ExampleTypes.dense(c, DEFAULTS, contextDenseShapes, batch));
        all.addAll(FeatureColumns.sparseTypes(featureListSparseTypes, 3));
        all.addAll(ExampleTypes.lists(featureListDenseTypes, featureListDenseShapes, batch));
        for (int i = 0; i < listDense; i++) all.add(new TensorType(DType.I64, batch));
        return all;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int cs = (int) contextSparse, cd = contextDenseKeys.size(), ls = (int) listSparse, ld = (int) listDense;
            List<byte[]> sparse = FeatureColumns.keys(contextSparseKeys), dense = FeatureColumns.keys(contextDenseKeys);
            List<byte[]> sparseLists = FeatureColumns.keys(featureListSparseKeys);
            List<byte[]> denseLists = FeatureColumns.keys(featureListDenseKeys);
            ExampleTypes.apart("Context", dense, sparse, List.of());
            ExampleTypes.apart("Sequence", denseLists, sparseLists, List.of());
            ExampleErrors errors = ExampleErrors.ofSequences(c.input(0), c.input(1));
            Examples<Features> contexts = Examples.parsed(c.input(0), errors, Features::ofContext);
            FeatureColumns.sparse(c, 0, sparse, contextSparseTypes, contexts);
            int at = 3 * cs;
            FeatureColumns.dense(c, at, dense, contextDenseShapes, DEFAULTS, contexts);
            at += cd;
            Examples<List<Features.NamedList>> lists = Examples.parsed(c.input(0), errors, Features::lists);
            FeatureLists.sparse(c, at, sparseLists, featureListSparseTypes, lists);
            at += 3 * ls;
            new FeatureLists.Dense(
                            denseLists,
                            featureListDenseTypes,
                            featureListDenseShapes,
                            ExampleTypes.among(featureListDenseKeys, featureListDenseMissingAssumedEmpty))
                    .write(c, at, at + ld, lists);
        };
    }
}
