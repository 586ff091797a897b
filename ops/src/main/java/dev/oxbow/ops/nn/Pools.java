package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Padding;
import dev.oxbow.kernels.numeric.Window;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What pools share: the window from attributes or inputs, the output's shape, and pools across channels. */
record Pools(
        int spatial,
        List<Long> ksize,
        List<Long> strides,
        String padding,
        List<Long> explicitPaddings,
        String dataFormat) {

    /** A pool over rows and columns without explicit paddings. */
    static Pools of(List<Long> ksize, List<Long> strides, String padding, String dataFormat) {
        return new Pools(2, ksize, strides, padding, List.of(), dataFormat);
    }

    /** The window that inputs give: ksize and strides; null where their values are not known yet. */
    static Pools of(long[] ksize, long[] strides, String padding, String dataFormat) {
        if (ksize == null || strides == null) return null;
        require(
                ksize.length == 4 && strides.length == 4,
                INVALID_ARGUMENT,
                "Sliding window ksize and strides must specify 4 dimensions");
        return new Pools(2, list(ksize), list(strides), padding, List.of(), dataFormat);
    }

    private static List<Long> list(long[] values) {
        List<Long> l = new ArrayList<>();
        for (long v : values) l.add(v);
        return l;
    }

    static long[] longs(Tensor t) {
        long[] v = new long[Counts.toInt(t.size())];
        for (int i = 0; i < v.length; i++) v[i] = t.getLong(i);
        return v;
    }

    private SlidingWindow window() {
        return SlidingWindow.of(spatial, strides, List.of(), padding, explicitPaddings, dataFormat);
    }

    /** The pool of input 0. */
    List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), output(window().images(c, 0))));
    }

    /** The pool's shape over images of shape {@code x}. */
    Shape output(Shape x) {
        SlidingWindow w = window();
        require(
                ksize.size() == w.rank() && strides.size() == w.rank(),
                INVALID_ARGUMENT,
                "needs %d ksize and strides, got %s and %s",
                w.rank(),
                ksize,
                strides);
        for (long k : ksize) require(k > 0, INVALID_ARGUMENT, "Sliding window ksize must be positive, got %s", ksize);
        long channels = x.dim(w.channelAxis());
        if (isAcrossChannels() && channels >= 0) {
            long stride = strides.get(w.channelAxis());
            require(stride > 0, INVALID_ARGUMENT, "Stride must be > 0, but got %d", stride);
            channels /= stride;
        }
        return w.output(x, w.perSpatial(ksize), channels);
    }

    /** This pool, if its window stays within an image. */
    Pools checked() {
        require(
                ksize.get(0) == 1 && strides.get(0) == 1,
                UNIMPLEMENTED,
                "Pooling is not yet supported on the batch dimension, got ksize %s and strides %s",
                ksize,
                strides);
        return this;
    }

    /** Whether the window spans channels instead of positions. */
    boolean isAcrossChannels() {
        return ksize.get(window().channelAxis()) > 1;
    }

    /** The window at run time. */
    Window over(Shape x) {
        SlidingWindow w = window();
        w.checkUnit("ksize", ksize);
        checkPaddings(w);
        return w.over(x, w.perSpatial(ksize));
    }

    private void checkPaddings(SlidingWindow w) {
        if (explicitPaddings.isEmpty()) return;
        for (int d = 0; d < spatial; d++) {
            int axis = w.spatialAxis(d);
            require(
                    explicitPaddings.get(2 * axis) < ksize.get(axis)
                            && explicitPaddings.get(2 * axis + 1) < ksize.get(axis),
                    INVALID_ARGUMENT,
                    "explicit_paddings %s must be less than ksize %s",
                    explicitPaddings,
                    ksize);
        }
    }

    /** A pool across channels last as a pool over the columns of one row: [pixels, 1, channels, 1]. */
    Window acrossChannels(Shape x) {
        long k = ksize.get(3);
        require(
                spatial == 2
                        && dataFormat.equals("NHWC")
                        && ksize.get(0) == 1
                        && ksize.get(1) == 1
                        && ksize.get(2) == 1
                        && strides.get(1) == 1
                        && strides.get(2) == 1,
                UNIMPLEMENTED,
                "supports exactly one of pooling across depth or pooling across width/height, got ksize %s and strides %s",
                ksize,
                strides);
        checkPaddings(window());
        require(
                k == strides.get(3) && x.dim(3) % k == 0,
                UNIMPLEMENTED,
                "Depthwise max pooling requires the depth window to equal the depth stride and to divide the depth: %d, %d, %d",
                k,
                strides.get(3),
                x.dim(3));
        long[] one = {1, 1}, window = {1, k};
        return Window.of(Shape.of(x.size(0, 3), 1, x.dim(3), 1), false, window, window, one, Padding.VALID);
    }

    /** The pool of a node, at run time. */
    interface At {
        Pools of(KernelContext c);
    }

    static Kernel max(At at) {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Pools pool = at.of(c).checked();
            boolean across = pool.isAcrossChannels();
            Window w = across ? pool.acrossChannels(x.shape()) : pool.over(x.shape());
            dev.oxbow.kernels.numeric.MaxPool.forward(x, w, y, c.memory(), c.parallel());
        };
    }

    /** Inputs: what was pooled, the pool, its gradient. */
    static Kernel maxGradient(At at) {
        return c -> {
            Tensor x = c.input(0), dy = c.input(2);
            Pools pool = at.of(c).checked();
            pool.checkOutput(x.shape(), "orig_output", c.input(1).shape());
            pool.checkOutput(x.shape(), "grad", dy.shape());
            dev.oxbow.kernels.numeric.MaxPool.gradient(
                    x, dy, pool.over(x.shape()), c.output(0), c.memory(), c.parallel());
        };
    }

    /** Inputs: what was pooled, the pool, and what has the shape of the first and is picked from. */
    static Kernel maxSecondGradient(At at) {
        return c -> {
            Tensor x = c.input(0), dx = c.input(2);
            Pools pool = at.of(c).checked();
            pool.checkOutput(x.shape(), "orig_output", c.input(1).shape());
            checkSame("grad", x.shape(), dx.shape());
            dev.oxbow.kernels.numeric.MaxPool.secondGradient(
                    x, dx, pool.over(x.shape()), c.output(0), c.memory(), c.parallel());
        };
    }

    /** Checks that values of the output's shape belong to images of shape {@code x}. */
    void checkOutput(Shape x, String what, Shape got) {
        checkSame(what, output(x), got);
    }

    static void checkSame(String what, Shape wanted, Shape got) {
        require(wanted.equals(got), INVALID_ARGUMENT, "Expected %s shape to be %s, but got %s", what, wanted, got);
    }
}
