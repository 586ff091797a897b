package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.numeric.Conv;
import dev.oxbow.kernels.numeric.Window;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What convolutions and their two gradients share, in two and three dimensions, depthwise or not. */
final class Convolutions {
    private Convolutions() {}

    /** A kernel of two tensors and a window; all of a family have this form. */
    interface Body {
        void run(Tensor a, Tensor b, Window w, Tensor y, MemoryPool pool, Parallel parallel);
    }

    /** The output of a convolution of input 0 with the filter, input 1. */
    static List<TensorType> infer(InferenceContext c, SlidingWindow w, boolean depthwise) {
        Shape x = w.images(c, 0), f = w.images(c, 1);
        return List.of(new TensorType(
                c.dtype(0), w.output(x, kernel(f), channels(x.dim(w.channelAxis()), f, depthwise))));
    }

    private static long channels(long in, Shape filter, boolean depthwise) {
        long filterIn = filter.dim(-2), out = filter.dim(-1);
        if (depthwise) {
            require(
                    in < 0 || filterIn < 0 || in == filterIn,
                    INVALID_ARGUMENT,
                    "input and filter must have the same depth: %d vs %d",
                    in,
                    filterIn);
            long depth = Math.max(in, filterIn);
            return Counts.times(depth, out);
        }
        if (in < 0 || filterIn < 0) return out;
        require(
                filterIn > 0 ? in % filterIn == 0 : in == 0,
                INVALID_ARGUMENT,
                "Depth of input (%d) is not a multiple of input depth of filter (%d)",
                in,
                filterIn);
        long groups = filterIn == 0 ? 1 : Math.max(1, in / filterIn);
        require(
                out < 0 || out % groups == 0,
                INVALID_ARGUMENT,
                "Depth of output (%d) is not a multiple of the number of groups (%d)",
                out,
                groups);
        return out;
    }

    /** A row is an image. */
    static Pieces images(List<TensorType> outputs, int axis, int... inputs) {
        return axis == 0 ? new Pieces(inputs, new int[outputs.size()], Conv.IMAGES) : null;
    }

    /** A multiplication and an addition for each output and element of its window. */
    static double work(Shape y, Shape filter) {
        return 2.0 * y.size() * filter.size() / Math.max(1, filter.dim(-1));
    }

    static Kernel kernel(SlidingWindow w, Body body) {
        w.checkAttributes();
        return c -> body.run(
                c.input(0),
                c.input(1),
                w.over(c.input(0).shape(), kernel(c.input(1).shape())),
                c.output(0),
                c.scratch(),
                c.parallel());
    }

    /**
     * The shape that input {@code i} spells: that of the images or of the filter. Sizes of images may leave out batch
     * and channels, which then follow from the filter and the gradient.
     */
    static List<TensorType> inferSizes(InferenceContext c, SlidingWindow w, int i, boolean ofImages) {
        Shape s = c.shapeValue(i);
        if (ofImages && s.rank() == w.rank() - 2) {
            long[] dims = new long[w.rank()];
            dims[0] = w.images(c, 2).dim(0);
            dims[w.channelAxis()] = w.images(c, 1).dim(-2);
            for (int d = 0; d < s.rank(); d++) dims[w.spatialAxis(d)] = s.dim(d);
            s = Shape.of(dims);
        }
        if (!s.isRankKnown()) s = Shape.ofRank(w.rank());
        w.images(c, 2);
        w.images(c, ofImages ? 1 : 0);
        require(s.rank() == w.rank(), INVALID_ARGUMENT, "sizes must have %d entries, got %s", w.rank(), s);
        return List.of(new TensorType(c.outputDtype(0), s));
    }

    /** The type of input {@code i}, which is images or a filter, as are the two others. */
    static List<TensorType> inferLike(InferenceContext c, SlidingWindow w, int i) {
        Shape[] shapes = {w.images(c, 0), w.images(c, 1), w.images(c, 2)};
        return List.of(c.input(i).withShape(shapes[i]));
    }

    /** The gradient to the images from the filter, input 1, and the output's gradient, input 2. */
    static Kernel inputGradient(SlidingWindow w, boolean depthwise, Body body) {
        w.checkAttributes();
        return c -> {
            Tensor filter = c.input(1), dy = c.input(2), dx = c.output(0);
            checkGradient(w, dx.shape(), filter.shape(), dy.shape(), depthwise);
            body.run(filter, dy, w.over(dx.shape(), kernel(filter.shape())), dx, c.scratch(), c.parallel());
        };
    }

    /** The gradient to the filter from the images, input 0, and the output's gradient, input 2. */
    static Kernel filterGradient(SlidingWindow w, boolean depthwise, Body body) {
        w.checkAttributes();
        return c -> {
            Tensor x = c.input(0), dy = c.input(2), df = c.output(0);
            checkGradient(w, x.shape(), df.shape(), dy.shape(), depthwise);
            body.run(x, dy, w.over(x.shape(), kernel(df.shape())), df, c.scratch(), c.parallel());
        };
    }

    private static void checkGradient(SlidingWindow w, Shape x, Shape filter, Shape dy, boolean depthwise) {
        require(
                x.rank() == w.rank() && dy.rank() == w.rank(),
                INVALID_ARGUMENT,
                "input and out_backprop must be %d-dimensional, got %s and %s",
                w.rank(),
                x,
                dy);
        Shape y = w.output(x, kernel(filter), channels(x.dim(w.channelAxis()), filter, depthwise));
        require(
                y.equals(dy),
                INVALID_ARGUMENT,
                "Size of out_backprop doesn't match computed: actual = %s, computed = %s",
                dy,
                y);
    }

    private static long[] kernel(Shape filter) {
        long[] k = new long[filter.rank() - 2];
        for (int d = 0; d < k.length; d++) k[d] = filter.dim(d);
        return k;
    }
}
