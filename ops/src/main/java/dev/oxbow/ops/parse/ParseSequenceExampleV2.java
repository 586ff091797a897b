package dev.oxbow.ops.parse;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Features;
import java.util.ArrayList;
import java.util.List;

/** Contexts and lists of features of a batch of SequenceExamples, or of one, with ragged ones. */
@Signature(
        "ParseSequenceExampleV2(serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: Tcontext_dense) -> (context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: Tcontext_dense, context_ragged_values: context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types, feature_list_sparse_indices: Nfeature_list_sparse*int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse*int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense*int64, feature_list_ragged_values: feature_list_ragged_value_types, feature_list_ragged_outer_splits: feature_list_ragged_split_types, feature_list_ragged_inner_splits: feature_list_ragged_split_types) {Ncontext_sparse: int = 0 >= 0; Tcontext_dense: list(type) in [FLOAT INT64 STRING] = [] >= 0; context_sparse_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; context_ragged_value_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; context_ragged_split_types: list(type) in [INT32 INT64] = [] >= 0; context_dense_shapes: list(shape) = [] >= 0; Nfeature_list_sparse: int = 0 >= 0; Nfeature_list_dense: int = 0 >= 0; feature_list_dense_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_sparse_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_ragged_value_types: list(type) in [FLOAT INT64 STRING] = [] >= 0; feature_list_ragged_split_types: list(type) in [INT32 INT64] = [] >= 0; feature_list_dense_shapes: list(shape) = [] >= 0}")
public record ParseSequenceExampleV2(
        @Attr("Ncontext_sparse") long contextSparse,
        List<DType> contextSparseTypes,
        List<DType> contextRaggedValueTypes,
        List<DType> contextRaggedSplitTypes,
        List<Shape> contextDenseShapes,
        @Attr("Nfeature_list_sparse") long listSparse,
        @Attr("Nfeature_list_dense") long listDense,
        List<DType> featureListDenseTypes,
        List<DType> featureListSparseTypes,
        List<DType> featureListRaggedValueTypes,
        List<DType> featureListRaggedSplitTypes,
        List<Shape> featureListDenseShapes)
        implements NotDifferentiable {
    private static final int DEFAULTS = 9;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        ExampleTypes.serialized(c.shape(0));
        ExampleTypes.same("context_sparse_types", contextSparseTypes.size(), contextSparse);
        ExampleTypes.same("feature_list_sparse_types", featureListSparseTypes.size(), listSparse);
        ExampleTypes.same("feature_list_dense_types", featureListDenseTypes.size(), listDense);
        ExampleTypes.known("context_dense_shapes", contextDenseShapes, c.inputCount() - DEFAULTS);
        long[] counts = {
            contextSparse,
            contextDenseShapes.size(),
            contextRaggedValueTypes.size(),
            listSparse,
            listDense,
            featureListRaggedValueTypes.size(),
            listDense
        };
        for (int i = 0; i < counts.length; i++) c.vector(2 + i, counts[i]);
        Shape batch = c.shape(0);
        boolean single = batch.rank() == 0;
        List<TensorType> all = new ArrayList<>(ExampleTypes.sparse(contextSparseTypes, batch, 2));
        all.addAll(ExampleTypes.dense(c, DEFAULTS, contextDenseShapes, batch));
        all.addAll(ExampleTypes.vectors(contextRaggedValueTypes));
        all.addAll(ExampleTypes.splits(contextRaggedSplitTypes, batch));
        all.addAll(ExampleTypes.sparse(featureListSparseTypes, batch, 3));
        all.addAll(ExampleTypes.lists(featureListDenseTypes, featureListDenseShapes, batch));
        for (int i = 0; i < listDense; i++) all.add(new TensorType(DType.I64, single ? Shape.SCALAR : batch));
        all.addAll(ExampleTypes.vectors(featureListRaggedValueTypes));
        all.addAll(ExampleTypes.splits(featureListRaggedSplitTypes, batch));
        all.addAll(ExampleTypes.vectors(featureListRaggedSplitTypes));
        return all;
    }

    /** Keys of sparse, dense and ragged features are those of this input and the two behind it. */
    private static void apart(KernelContext c, String what, int sparse) {
        ExampleTypes.apart(
                what,
                FeatureColumns.keys(c.input(sparse + 1)),
                FeatureColumns.keys(c.input(sparse)),
                FeatureColumns.keys(c.input(sparse + 2)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            boolean single = c.input(0).shape().rank() == 0;
            ExampleErrors errors = ExampleErrors.ofSequences(c.input(0), c.input(1));
            apart(c, "Context", 2);
            apart(c, "Sequence", 5);
            Examples<Features> contexts = Examples.parsed(c.input(0), errors, Features::ofContext);
            FeatureColumns.sparse(c, 0, FeatureColumns.keys(c.input(2)), contextSparseTypes, contexts);
            int at = 3 * (int) contextSparse;
            FeatureColumns.dense(c, at, FeatureColumns.keys(c.input(3)), contextDenseShapes, DEFAULTS, contexts);
            at += contextDenseShapes.size();
            Shape none = single ? Shape.SCALAR : null;
            FeatureColumns.ragged(c, at, FeatureColumns.keys(c.input(4)), contextRaggedValueTypes, contexts, none);
            at += 2 * contextRaggedValueTypes.size();
            Examples<List<Features.NamedList>> lists = Examples.parsed(c.input(0), errors, Features::lists);
            FeatureLists.sparse(c, at, FeatureColumns.keys(c.input(5)), featureListSparseTypes, lists);
            at += 3 * (int) listSparse;
            Tensor flags = c.input(8);
            boolean[] mayMiss = new boolean[(int) listDense];
            for (int i = 0; i < mayMiss.length; i++) mayMiss[i] = flags.getLong(i) != 0;
            new FeatureLists.Dense(
                            FeatureColumns.keys(c.input(6)), featureListDenseTypes, featureListDenseShapes, mayMiss)
                    .write(c, at, at + mayMiss.length, lists);
            at += 2 * mayMiss.length;
            FeatureLists.ragged(c, at, FeatureColumns.keys(c.input(7)), featureListRaggedValueTypes, lists);
        };
    }
}
