package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Colours;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Grid;
import dev.oxbow.kernels.image.Resize.Taps;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What ops on images [batch, rows, columns, channels] share. */
final class Images {
    private Images() {}

    /** How one axis is resized. */
    interface Method {
        Taps taps(long in, long out, Grid grid);
    }

    static Shape images(InferenceContext c, int i) {
        return ranked(c, i, 4);
    }

    /** The shape of an input that must have this rank. */
    static Shape ranked(InferenceContext c, int i, int rank) {
        Shape s = c.shape(i).isRankKnown() ? c.shape(i) : Shape.ofRank(rank);
        require(s.rank() == rank, INVALID_ARGUMENT, "input %d must be %d-dimensional, got %s", i, rank, c.shape(i));
        return s;
    }

    /** Images of input 0 in the size that input 1 says. */
    static List<TensorType> resized(InferenceContext c) {
        Shape x = images(c, 0), size = c.shape(1);
        require(
                !size.isRankKnown() || size.rank() == 1 && (size.dim(0) < 0 || size.dim(0) == 2),
                INVALID_ARGUMENT,
                "size must be 1-dimensional with 2 elements, got %s",
                size);
        long[] to = c.longs(1);
        if (to == null) to = new long[] {-1, -1};
        else
            require(
                    to[0] >= 0 && to[1] >= 0,
                    INVALID_ARGUMENT,
                    "output dimensions must not be negative, got %d x %d",
                    to[0],
                    to[1]);
        return List.of(new TensorType(c.outputDtype(0), Shape.of(x.dim(0), to[0], to[1], x.dim(3))));
    }

    static Kernel resize(Method method, Grid grid) {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            checkSize(x.shape(), y.shape());
            if (y.size() == 0) return;
            Taps rows = method.taps(x.shape().dim(1), y.shape().dim(1), grid),
                    columns = method.taps(x.shape().dim(2), y.shape().dim(2), grid);
            Resize.run(x, rows, columns, y, c.parallel());
        };
    }

    static void checkSize(Shape x, Shape y) {
        require(x.dim(1) > 0 && x.dim(2) > 0, INVALID_ARGUMENT, "input image must be of non-zero size, got %s", x);
        require(y.dim(1) > 0 && y.dim(2) > 0, INVALID_ARGUMENT, "output dimensions must be positive, got %s", y);
        require(x.dim(3) > 0, INVALID_ARGUMENT, "image must have non-zero channels, got %s", x);
    }

    /** The gradient of a resize to its input: {@code dx} has the size that was resized from. */
    static Kernel gradient(Method method, Grid grid) {
        return c -> {
            Tensor dy = c.input(0), dx = c.output(0);
            checkSize(dy.shape(), dx.shape());
            if (dx.size() == 0) return;
            Taps rows = method.taps(dx.shape().dim(1), dy.shape().dim(1), grid),
                    columns = method.taps(dx.shape().dim(2), dy.shape().dim(2), grid);
            Resize.gradient(dy, rows, columns, dx, c.parallel());
        };
    }

    /** The gradient's type: the original image, in the dtype of the output. */
    static List<TensorType> like(InferenceContext c, int original) {
        images(c, 0);
        images(c, original);
        c.sameDim(0, 0, original, 0);
        c.sameDim(0, 3, original, 3);
        return List.of(new TensorType(c.outputDtype(0), images(c, original)));
    }

    /** Rows and columns of images, known at run time. */
    static Value runtimeSize(Value x) {
        Value shape = x.runtimeShape();
        return Value.apply(
                new StridedSlice(0, 0, 0, 0, 0),
                shape,
                x.ops().constant(new int[] {1}),
                x.ops().constant(new int[] {3}),
                x.ops().constant(new int[] {1}));
    }

    /** Pixels of three channels last, of any rank from {@code least}. */
    static List<TensorType> pixels(InferenceContext c, int least) {
        Shape x = c.shape(0);
        require(
                !x.isRankKnown() || x.rank() >= least && (x.dim(-1) < 0 || x.dim(-1) == 3),
                INVALID_ARGUMENT,
                "input must have at least %d dimensions and 3 channels, got %s",
                least,
                x);
        return List.of(c.input(0));
    }

    static Kernel pixelwise(Colours.Pixel pixel) {
        return c -> Colours.each(c.input(0), c.output(0), pixel, c.parallel());
    }

    /** A number that must be a scalar input. */
    static void scalar(InferenceContext c, int i) {
        require(
                !c.shape(i).isRankKnown() || c.shape(i).rank() == 0,
                INVALID_ARGUMENT,
                "input %d must be scalar, got %s",
                i,
                c.shape(i));
    }
}
