package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv3D;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Convolution by {@code filters} kernels of {@code size} in each direction: of sequences [batch, time, channels], images
 * [batch, rows, columns, channels] or volumes [batch, planes, rows, columns, channels], whichever the input is.
 */
public record Conv(
        int filters,
        int size,
        int stride,
        int dilation,
        boolean padded,
        UnaryOperator<Value> activation,
        boolean bias,
        Initialiser start)
        implements Layer {

    public Conv stride(int s) {
        return new Conv(filters, size, s, dilation, padded, activation, bias, start);
    }

    /** Taps that are so far apart. */
    public Conv dilation(int d) {
        return new Conv(filters, size, stride, d, padded, activation, bias, start);
    }

    /** Without zeros around the image: the result is smaller by {@code size - 1}. */
    public Conv unpadded() {
        return new Conv(filters, size, stride, dilation, false, activation, bias, start);
    }

    /** Without bias, as before a normalisation. */
    public Conv withoutBias() {
        return new Conv(filters, size, stride, dilation, padded, activation, false, start);
    }

    public Conv start(Initialiser s) {
        return new Conv(filters, size, stride, dilation, padded, activation, bias, s);
    }

    @Override
    public Value apply(Build b, Value x) {
        int spatial = Spatial.of("Conv", x);
        long in = x.shape().dim(spatial + 1);
        Value kernel = b.parameter("kernel", start, Spatial.kernel(spatial, size, in, filters));
        Value y = Spatial.asImages(x, kernel, this::convolved);
        if (bias) y = Value.apply(new BiasAdd(), y, b.parameter("bias", Initialiser.zeros(), filters));
        return activation.apply(y);
    }

    private Value convolved(Value x, Value kernel) {
        int spatial = x.shape().rank() - 2;
        List<Long> strides = Spatial.each(spatial, stride), dilations = Spatial.each(spatial, dilation);
        String padding = Spatial.padding(padded);
        return Value.apply(
                spatial == 3
                        ? new Conv3D(strides, padding, "NDHWC", dilations)
                        : new Conv2D(strides, padding, List.of(), "NHWC", dilations),
                x,
                kernel);
    }

    @Override
    public String kind() {
        return "conv";
    }
}
