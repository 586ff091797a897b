package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Op;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Conv2DBackpropInput;
import dev.oxbow.ops.nn.Conv3DBackpropInputV2;
import dev.oxbow.tensor.DType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The transpose of a convolution, which makes sequences, images and volumes larger: {@code n} become {@code n * stride}
 * with padding, else {@code n * stride + max(size - stride, 0)}. Its kernel is [size, ..., filters, channels].
 */
public record ConvTransposed(
        int filters,
        int size,
        int stride,
        boolean padded,
        UnaryOperator<Value> activation,
        boolean bias,
        Initialiser start)
        implements Layer {

    public ConvTransposed stride(int s) {
        return new ConvTransposed(filters, size, s, padded, activation, bias, start);
    }

    public ConvTransposed unpadded() {
        return new ConvTransposed(filters, size, stride, false, activation, bias, start);
    }

    public ConvTransposed withoutBias() {
        return new ConvTransposed(filters, size, stride, padded, activation, false, start);
    }

    public ConvTransposed start(Initialiser s) {
        return new ConvTransposed(filters, size, stride, padded, activation, bias, s);
    }

    @Override
    public Value apply(Build b, Value x) {
        int spatial = Spatial.of("ConvTransposed", x);
        long in = x.shape().dim(spatial + 1);
        Value kernel = b.parameter("kernel", start, Spatial.kernel(spatial, size, filters, in));
        Value y = spatial > 1
                ? enlarged(x, kernel, Spatial.each(spatial, stride))
                : enlarged(x.expandDims(1), kernel.expandDims(0), List.of(1L, 1L, (long) stride, 1L))
                        .squeeze(1);
        if (bias) y = Value.apply(new BiasAdd(), y, b.parameter("bias", Initialiser.zeros(), filters));
        return activation.apply(y);
    }

    private Value enlarged(Value x, Value kernel, List<Long> strides) {
        int spatial = x.shape().rank() - 2;
        Value[] sizes = new Value[spatial + 2];
        long[] known = new long[spatial + 2];
        known[0] = -1;
        sizes[0] = Shapes.size(x, 0);
        for (int i = 1; i <= spatial; i++) {
            long n = x.shape().dim(i), step = strides.get(i);
            require(
                    n >= 0,
                    INVALID_ARGUMENT,
                    "ConvTransposed: all sizes but the batch must be known, got %s",
                    x.shape());
            known[i] = n * step + (padded ? 0 : Math.max(kernel.shape().dim(i - 1) - step, 0));
            sizes[i] = x.ops().constant(DType.I32, known[i]);
        }
        known[spatial + 1] = filters;
        sizes[spatial + 1] = x.ops().constant(DType.I32, filters);
        List<Long> ones = Spatial.each(spatial, 1);
        Op op = spatial == 3
                ? new Conv3DBackpropInputV2(strides, Spatial.padding(padded), "NDHWC", ones)
                : new Conv2DBackpropInput(strides, Spatial.padding(padded), List.of(), "NHWC", ones);
        return Value.apply(op, Value.stack(0, sizes), kernel, x).reshape(known);
    }

    @Override
    public String kind() {
        return "conv";
    }
}
