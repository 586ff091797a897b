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

/** The features of one Example. */
@Signature(
        "ParseSingleExample(serialized: string, dense_defaults: Tdense) -> (sparse_indices: num_sparse*int64, sparse_values: sparse_types, sparse_shapes: num_sparse*int64, dense_values: Tdense) {num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list(type) in [FLOAT INT64 STRING] >= 0; Tdense: list(type) in [FLOAT INT64 STRING] >= 0; dense_shapes: list(shape) >= 0}")
public record ParseSingleExample(
        long numSparse,
        List<String> sparseKeys,
        List<String> denseKeys,
        List<DType> sparseTypes,
        List<Shape> denseShapes)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        ExampleTypes.same("sparse_keys", sparseKeys.size(), numSparse);
        ExampleTypes.same("sparse_types", sparseTypes.size(), numSparse);
        ExampleTypes.same("dense_keys", denseKeys.size(), c.inputCount() - 1);
        ExampleTypes.shapes(denseShapes, denseKeys.size());
        List<TensorType> all = new ArrayList<>(FeatureColumns.sparseTypes(sparseTypes, 1));
        all.addAll(ExampleTypes.dense(c, 1, denseShapes, Shape.SCALAR));
        return all;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Examples<Features> row = Examples.parsed(c.input(0), ExampleErrors.ofExample(), Features::ofExample);
            FeatureColumns.sparse(c, 0, FeatureColumns.keys(sparseKeys), sparseTypes, row);
            FeatureColumns.dense(c, 3 * (int) numSparse, FeatureColumns.keys(denseKeys), denseShapes, 1, row);
        };
    }
}
