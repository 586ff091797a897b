package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Classes as rows with a one, by a comparison, which is split over workers like any other. */
final class OneHots {
    private OneHots() {}

    static Value of(Value classes, long count, DType dtype) {
        Tensor all = Tensor.allocate(DType.I64, Shape.of(1, count));
        for (long i = 0; i < count; i++) all.setLong(i, i);
        return classes.cast(DType.I64)
                .reshape(-1, 1)
                .equalTo(classes.ops().constant(all))
                .cast(dtype);
    }
}
