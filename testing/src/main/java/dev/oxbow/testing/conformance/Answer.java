package dev.oxbow.testing.conformance;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** A recorded value: dtype, shape, and the elements unless it is a resource or variant handle ({@code tensor} is null then). */
record Answer(DType dtype, Shape shape, Tensor tensor) {

    static Answer of(Tensor tensor) {
        return new Answer(tensor.dtype(), tensor.shape(), tensor);
    }

    @Override
    public String toString() {
        return dtype + shape.toString();
    }
}
