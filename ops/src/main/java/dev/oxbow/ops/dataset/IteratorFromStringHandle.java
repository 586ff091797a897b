package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The iterator that a string of IteratorToStringHandle stands for. */
@Signature(
        "IteratorFromStringHandle(string_handle: string) -> (resource_handle: resource) {output_types: list(type) = [] >= 0; output_shapes: list(shape) = [] >= 0} stateful")
public record IteratorFromStringHandle(List<DType> outputTypes, List<Shape> outputShapes)
        implements Iterators.FromText {}
