package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The next element; behind the last one that is an error. */
@Signature(
        "IteratorGetNext(iterator: resource) -> (components: output_types) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1} stateful")
public record IteratorGetNext(List<DType> outputTypes, List<Shape> outputShapes) implements Iterators.Next {}
