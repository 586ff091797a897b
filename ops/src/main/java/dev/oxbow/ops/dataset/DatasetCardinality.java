package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** How many elements a data set has: -1 for no end, -2 where only a walk tells. */
@Signature("DatasetCardinality(input_dataset: variant) -> (cardinality: int64) {cardinality_options: string = \"\"}")
public record DatasetCardinality(String cardinalityOptions) implements NotDifferentiable {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I64, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, Dataset.input(c, 0).size());
    }
}
