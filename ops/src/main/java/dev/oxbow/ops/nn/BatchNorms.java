package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.BatchNorm;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the versions of fused batch normalisation and of its gradient share. */
public record BatchNorms(String dataFormat, float epsilon, boolean isTraining) {

    private int rank() {
        return dataFormat.length();
    }

    private boolean channelsFirst() {
        return dataFormat.startsWith("NC");
    }

    private int channelAxis() {
        return channelsFirst() ? 1 : rank() - 1;
    }

    private Shape images(InferenceContext c, int i) {
        Shape s = c.shape(i).isRankKnown() ? c.shape(i) : Shape.ofRank(rank());
        require(s.rank() == rank(), INVALID_ARGUMENT, "input %d must be %d-dimensional, got %s", i, rank(), c.shape(i));
        return s;
    }

    private long channels(InferenceContext c, Shape x, int from, int to) {
        long channels = x.dim(channelAxis());
        for (int i = from; i < to; i++) {
            Shape v = c.shape(i);
            require(
                    !v.isRankKnown() || v.rank() == 1,
                    INVALID_ARGUMENT,
                    "input %d must be 1-dimensional, got %s",
                    i,
                    v);
            long n = v.dim(0);
            require(
                    n < 0 || channels < 0 || n == channels,
                    INVALID_ARGUMENT,
                    "input %d must have the same number of elements as the channels of x, got %d and %d",
                    i,
                    n,
                    channels);
            if (channels < 0) channels = n;
        }
        return channels;
    }

    /** Inputs: x, scale, offset, mean, variance. Outputs: y, four vectors, and in version 3 one that is empty. */
    List<TensorType> infer(InferenceContext c) {
        Shape x = images(c, 0);
        long channels = channels(c, x, 1, isTraining ? 3 : 5);
        List<TensorType> outputs = new ArrayList<>();
        outputs.add(c.input(0).withShape(x.withDim(channelAxis(), channels)));
        for (int i = 1; i < 5; i++) outputs.add(new TensorType(c.outputDtype(i), Shape.of(channels)));
        if (c.outputCount() > 5) outputs.add(new TensorType(c.outputDtype(5), Shape.of(0)));
        return outputs;
    }

    Kernel kernel(float factor) {
        return c -> {
            Tensor x = c.input(0), scale = c.input(1), offset = c.input(2), mean = c.input(3), variance = c.input(4);
            boolean given = !isTraining || factor != 1;
            require(
                    !given || mean.size() == scale.size() && variance.size() == scale.size(),
                    INVALID_ARGUMENT,
                    "mean and variance must have the same number of elements as the channels of x, got %s and %s",
                    mean.shape(),
                    variance.shape());
            BatchNorm norm = new BatchNorm(channelsFirst(), epsilon, c.memory(), c.parallel());
            if (isTraining) {
                norm.train(
                        x,
                        scale,
                        offset,
                        mean,
                        variance,
                        factor,
                        c.output(0),
                        c.output(1),
                        c.output(2),
                        c.output(3),
                        c.output(4));
            } else {
                norm.infer(x, scale, offset, mean, variance, c.output(0));
                for (int i = 1; i < 5; i++) {
                    Tensor from = i % 2 == 1 ? mean : variance;
                    Memory.copy(from.address(), c.output(i).address(), from.byteSize());
                }
            }
        };
    }

    /** Inputs: dy, x, scale and the two saved vectors. Outputs: dx, dscale, doffset and two empty vectors. */
    List<TensorType> inferGradient(InferenceContext c) {
        Shape dy = images(c, 0), x = images(c, 1), both = dy.merge(x);
        require(both != null, INVALID_ARGUMENT, "x and y backprop must have same shape, got %s and %s", x, dy);
        long channels = channels(c, both, 2, 5);
        return List.of(
                new TensorType(c.outputDtype(0), both.withDim(channelAxis(), channels)),
                new TensorType(c.outputDtype(1), Shape.of(channels)),
                new TensorType(c.outputDtype(2), Shape.of(channels)),
                new TensorType(c.outputDtype(3), Shape.of(0)),
                new TensorType(c.outputDtype(4), Shape.of(0)));
    }

    Kernel gradientKernel() {
        return c -> {
            BatchNorm norm = new BatchNorm(channelsFirst(), epsilon, c.memory(), c.parallel());
            Tensor dy = c.input(0), x = c.input(1), scale = c.input(2), mean = c.input(3), variance = c.input(4);
            if (isTraining) norm.trainGradient(dy, x, scale, mean, variance, c.output(0), c.output(1), c.output(2));
            else norm.inferGradient(dy, x, scale, mean, variance, c.output(0), c.output(1), c.output(2));
        };
    }

    /** What the gradient op is given: dy, x, scale, and the statistics that y was made with. */
    Value[] gradientInputs(GradientContext g) {
        List<Value> in = new ArrayList<>(List.of(
                g.gradient(0),
                g.input(0),
                g.input(1),
                isTraining ? g.output(3) : g.input(3),
                isTraining ? g.output(4) : g.input(4)));
        if (g.node().outputCount() > 5) in.add(g.output(5));
        return in.toArray(Value[]::new);
    }

    /** The gradients of x, scale and offset; none of the statistics. */
    static List<Value> gradients(List<Value> d) {
        return Arrays.asList(d.get(0), d.get(1), d.get(2), null, null);
    }

    /**
     * The gradient of the gradient op. With {@code r = 1 / sd}, {@code h = (x - mean) r} and means over a channel, the
     * gradient is {@code dx = scale r (dy - mean(dy) - h mean(dy h))}, {@code dscale = sum(dy h)},
     * {@code doffset = sum(dy)}; each is linear in dy, and x enters through h and r.
     */
    List<Value> secondGradient(GradientContext g) {
        int[] axes = new int[rank() - 1];
        for (int i = 0, at = 0; i < rank(); i++) if (i != channelAxis()) axes[at++] = i;
        DType wide = DType.F32;
        Value dy = g.input(0).cast(wide),
                x = g.input(1).cast(wide),
                scale = column(g.input(2).cast(wide));
        Value ddx = g.gradient(0).cast(wide),
                dds = column(g.gradient(1).cast(wide)),
                ddo = column(g.gradient(2).cast(wide));
        List<Value> result = new ArrayList<>();
        if (isTraining) {
            Value centred = x.minus(x.mean(true, axes));
            Value r = centred.square().mean(true, axes).plus(epsilon).rsqrt(), h = centred.times(r);
            Value a = ddx.times(h).mean(true, axes), b = dy.times(h).mean(true, axes);
            Value inner = dy.minus(dy.mean(true, axes)).minus(h.times(b));
            result.add(scale.times(r)
                    .times(ddx.minus(ddx.mean(true, axes)).minus(h.times(a)))
                    .plus(dds.times(h))
                    .plus(ddo));
            Value dh = dds.times(dy).minus(scale.times(r).times(ddx.times(b).plus(dy.times(a))));
            Value viaH = r.times(
                    dh.minus(dh.mean(true, axes)).minus(h.times(dh.times(h).mean(true, axes))));
            Value viaR = scale.times(ddx.times(inner).mean(true, axes))
                    .times(r.square())
                    .times(h);
            result.add(viaH.minus(viaR));
            result.add(ddx.times(inner).times(r).sum(axes));
        } else {
            Value mean = column(g.input(3).cast(wide)),
                    r = column(g.input(4).cast(wide)).plus(epsilon).rsqrt();
            result.add(scale.times(r)
                    .times(ddx)
                    .plus(dds.times(x.minus(mean)).times(r))
                    .plus(ddo));
            result.add(dds.times(dy).times(r));
            result.add(ddx.times(dy).times(r).sum(axes));
        }
        result.set(0, result.get(0).cast(g.input(0).dtype()));
        result.set(1, result.get(1).cast(g.input(1).dtype()));
        result.set(2, result.get(2).cast(g.input(2).dtype()));
        while (result.size() < g.node().inputs().size()) result.add(null);
        return result;
    }

    /** A vector of channels in a shape that broadcasts against the images. */
    private Value column(Value v) {
        if (!channelsFirst()) return v;
        long[] dims = new long[rank() - 1];
        Arrays.fill(dims, 1);
        dims[0] = -1;
        return v.reshape(dims);
    }

    /** The gradient of a normalisation, in all versions. */
    public interface Gradient extends Differentiable {
        float epsilon();

        String dataFormat();

        boolean isTraining();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return norm().inferGradient(c);
        }

        private BatchNorms norm() {
            return new BatchNorms(dataFormat(), epsilon(), isTraining());
        }

        @Override
        default Kernel cpu() {
            return norm().gradientKernel();
        }

        /** Through {@code dy}, {@code x} and {@code scale}. */
        @Override
        default List<Value> gradient(GradientContext g) {
            return norm().secondGradient(g);
        }
    }

    /** A normalisation by channels, in all versions. */
    public interface Forward extends Differentiable {
        float epsilon();

        String dataFormat();

        boolean isTraining();

        float exponentialAvgFactor();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return norm().infer(c);
        }

        default BatchNorms norm() {
            return new BatchNorms(dataFormat(), epsilon(), isTraining());
        }

        @Override
        default Kernel cpu() {
            return norm().kernel(exponentialAvgFactor());
        }
    }
}
