package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A place in a data set that is begun by MakeIterator. */
@Signature(
        "IteratorV2() -> (handle: resource) {shared_name: string; container: string; output_types: list(type) >= 1; output_shapes: list(shape) >= 1} stateful")
public record IteratorV2(String sharedName, String container, List<DType> outputTypes, List<Shape> outputShapes)
        implements Iterators.Place {}
