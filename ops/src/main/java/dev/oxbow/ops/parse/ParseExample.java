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

/** The features of a batch of Examples. */
@Signature(
        "ParseExample(serialized: string, names: string, sparse_keys: Nsparse*string, dense_keys: Ndense*string, dense_defaults: Tdense) -> (sparse_indices: Nsparse*int64, sparse_values: sparse_types, sparse_shapes: Nsparse*int64, dense_values: Tdense) {Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list(type) in [FLOAT INT64 STRING] >= 0; Tdense: list(type) in [FLOAT INT64 STRING] >= 0; dense_shapes: list(shape) >= 0}")
public record ParseExample(
        @Attr("Nsparse") long sparse, @Attr("Ndense") long dense, List<DType> sparseTypes, List<Shape> denseShapes)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        ExampleTypes.same("sparse_types", sparseTypes.size(), sparse);
        ExampleTypes.shapes(denseShapes, (int) dense);
        for (int i = 2; i < 2 + sparse + dense; i++) c.scalar(i);
        List<TensorType> all = new ArrayList<>(FeatureColumns.sparseTypes(sparseTypes, 2));
        all.addAll(ExampleTypes.dense(
                c,
                2 + (int) (sparse + dense),
                denseShapes,
                Shape.of(c.shape(0).rank() == 1 ? c.shape(0).dim(0) : -1)));
        return all;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int s = (int) sparse, d = (int) dense;
            ExampleErrors errors = ExampleErrors.ofExamples(c.input(0), c.input(1));
            Examples<Features> rows = Examples.parsed(c.input(0), errors, Features::ofExample);
            FeatureColumns.sparse(c, 0, FeatureColumns.keys(c, 2, s), sparseTypes, rows);
            FeatureColumns.dense(c, 3 * s, FeatureColumns.keys(c, 2 + s, d), denseShapes, 2 + s + d, rows);
        };
    }
}
