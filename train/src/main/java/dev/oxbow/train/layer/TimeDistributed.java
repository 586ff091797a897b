package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;

/** The same layer at each step of [batch, time, ...], as if the steps were examples. */
public record TimeDistributed(Layer layer) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        Shape shape = x.shape();
        require(
                shape.rank() >= 3 && shape.slice(1, shape.rank()).isFullyKnown(),
                INVALID_ARGUMENT,
                "TimeDistributed: needs [batch, time, ...] with known sizes, all but the batch, got %s",
                shape);
        Value steps =
                x.reshape(Shape.of(-1).concat(shape.slice(2, shape.rank())).dims());
        Value y = layer.apply(b, steps);
        Shape one = y.shape().slice(1, y.shape().rank());
        return y.reshape(Shape.of(-1, shape.dim(1)).concat(one).dims());
    }

    @Override
    public String kind() {
        return layer.kind();
    }
}
