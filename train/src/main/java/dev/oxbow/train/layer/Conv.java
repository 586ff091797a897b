package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Conv2D;
import java.util.List;
import java.util.function.UnaryOperator;

/** Convolution of images [batch, rows, columns, channels] by {@code filters} kernels of {@code size} x {@code size}. */
public record Conv(
        int filters,
        int size,
        int stride,
        boolean padded,
        UnaryOperator<Value> activation,
        boolean bias,
        Initialiser start)
        implements Layer {

    public Conv stride(int s) {
        return new Conv(filters, size, s, padded, activation, bias, start);
    }

    /** Without zeros around the image: the result is smaller by {@code size - 1}. */
    public Conv unpadded() {
        return new Conv(filters, size, stride, false, activation, bias, start);
    }

    /** Without bias, as before a normalisation. */
    public Conv withoutBias() {
        return new Conv(filters, size, stride, padded, activation, false, start);
    }

    public Conv start(Initialiser s) {
        return new Conv(filters, size, stride, padded, activation, bias, s);
    }

    @Override
    public Value apply(Build b, Value x) {
        long in = x.shape().dim(3), step = stride;
        Value kernel = b.parameter("kernel", start, size, size, in, filters);
        Value y = Value.apply(new Conv2D(List.of(1L, step, step, 1L), padded ? "SAME" : "VALID"), x, kernel);
        if (bias) y = Value.apply(new BiasAdd(), y, b.parameter("bias", Initialiser.zeros(), filters));
        return activation.apply(y);
    }

    @Override
    public String kind() {
        return "conv";
    }
}
