package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.DepthwiseConv2dNative;
import java.util.function.UnaryOperator;

/**
 * Convolution of each channel of sequences or images by {@code multiplier} kernels of its own. Channel {@code c} becomes
 * the channels {@code c * multiplier, ..., c * multiplier + multiplier - 1}.
 */
public record Depthwise(
        int multiplier,
        int size,
        int stride,
        boolean padded,
        UnaryOperator<Value> activation,
        boolean bias,
        Initialiser start)
        implements Layer {

    public Depthwise stride(int s) {
        return new Depthwise(multiplier, size, s, padded, activation, bias, start);
    }

    public Depthwise unpadded() {
        return new Depthwise(multiplier, size, stride, false, activation, bias, start);
    }

    public Depthwise withoutBias() {
        return new Depthwise(multiplier, size, stride, padded, activation, false, start);
    }

    public Depthwise start(Initialiser s) {
        return new Depthwise(multiplier, size, stride, padded, activation, bias, s);
    }

    @Override
    public Value apply(Build b, Value x) {
        int spatial = Spatial.of("Depthwise", x);
        require(spatial < 3, INVALID_ARGUMENT, "Depthwise: goes over sequences and images, got %s", x.shape());
        long in = x.shape().dim(spatial + 1);
        Value kernel = b.parameter("kernel", start, Spatial.kernel(spatial, size, in, multiplier));
        var op = new DepthwiseConv2dNative(Spatial.each(2, stride), Spatial.padding(padded));
        Value y = Spatial.asImages(x, kernel, (images, k) -> Value.apply(op, images, k));
        if (bias) y = Value.apply(new BiasAdd(), y, b.parameter("bias", Initialiser.zeros(), in * multiplier));
        return activation.apply(y);
    }

    @Override
    public String kind() {
        return "depthwise";
    }
}
