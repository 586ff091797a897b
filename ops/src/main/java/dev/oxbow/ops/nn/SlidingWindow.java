package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.kernels.numeric.Padding;
import dev.oxbow.kernels.numeric.Window;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The geometry that attributes give to convolutions and pools, per spatial dimension. */
final class SlidingWindow {
    private final int spatial;
    private final boolean channelsFirst;
    private final List<Long> strides;
    private final List<Long> dilations;
    private final String padding;
    private final List<Long> explicitPaddings;

    private SlidingWindow(
            int spatial,
            List<Long> strides,
            List<Long> dilations,
            String padding,
            List<Long> explicitPaddings,
            String dataFormat) {
        this.spatial = spatial;
        this.channelsFirst = dataFormat.startsWith("NC");
        this.strides = strides;
        this.dilations = dilations;
        this.padding = padding;
        this.explicitPaddings = explicitPaddings;
        check();
    }

    /** The lists have one entry per dimension of the layout, paddings two; no dilations and no paddings may be given. */
    static SlidingWindow of(
            int spatial,
            List<Long> strides,
            List<Long> dilations,
            String padding,
            List<Long> explicitPaddings,
            String dataFormat) {
        return new SlidingWindow(spatial, strides, dilations, padding, explicitPaddings, dataFormat);
    }

    int rank() {
        return spatial + 2;
    }

    boolean channelsFirst() {
        return channelsFirst;
    }

    int channelAxis() {
        return channelsFirst ? 1 : spatial + 1;
    }

    int spatialAxis(int d) {
        return d + (channelsFirst ? 2 : 1);
    }

    /** The shape of an input that must have batch, channels and the spatial dimensions. */
    Shape images(InferenceContext c, int input) {
        Shape s = c.shape(input).isRankKnown() ? c.shape(input) : Shape.ofRank(rank());
        require(
                s.rank() == rank(),
                INVALID_ARGUMENT,
                "input %d must be %d-dimensional: %s",
                input,
                rank(),
                c.shape(input));
        return s;
    }

    /** The output's shape as far as it is known; kernel sizes below 0 are unknown. */
    Shape output(Shape input, long[] kernel, long channels) {
        long[] dims = new long[rank()];
        dims[0] = input.dim(0);
        dims[channelAxis()] = channels;
        long[] stride = perSpatial(strides), dilation = dilation();
        Padding p = padding();
        for (int d = 0; d < spatial; d++) {
            long in = input.dim(spatialAxis(d)), k = kernel[d];
            require(k <= Integer.MAX_VALUE, INVALID_ARGUMENT, "window sizes must fit 31 bits, got %d", k);
            require(stride[d] > 0, INVALID_ARGUMENT, "Stride must be > 0, but got %d", stride[d]);
            require(dilation[d] > 0, INVALID_ARGUMENT, "Dilation rate must be >= 1, but got %d", dilation[d]);
            if (in < 0 || k < 0 && !padding.equals("SAME")) {
                dims[spatialAxis(d)] = -1;
                continue;
            }
            long room = in;
            if (padding.equals("EXPLICIT")) {
                int at = 2 * spatialAxis(d);
                room += explicitPaddings.get(at) + explicitPaddings.get(at + 1);
            }
            require(
                    padding.equals("SAME") || (room - (k - 1) * dilation[d] - 1 + stride[d]) / stride[d] >= 0,
                    INVALID_ARGUMENT,
                    "Computed output size would be negative: input size %d, window size %d, dilation %d, stride %d",
                    room,
                    k,
                    dilation[d],
                    stride[d]);
            dims[spatialAxis(d)] = p.outputSize(d, in, Math.max(k, 1), stride[d], dilation[d]);
        }
        return Shape.of(dims);
    }

    /** The window at run time, when every size is known. */
    Window over(Shape input, long[] kernel) {
        output(input, kernel, 0);
        checkAttributes();
        return Window.of(input, channelsFirst, kernel, perSpatial(strides), dilation(), padding());
    }

    /** Checks what no input can put right. */
    void checkAttributes() {
        checkUnit("strides", strides);
        if (!dilations.isEmpty()) checkUnit("dilations", dilations);
    }

    /** The entries of a list in the layout's order that belong to spatial dimensions. */
    long[] perSpatial(List<Long> list) {
        long[] v = new long[spatial];
        for (int d = 0; d < spatial; d++) v[d] = list.get(spatialAxis(d));
        return v;
    }

    /** A window may neither skip nor span images and channels. */
    void checkUnit(String what, List<Long> list) {
        require(
                list.get(0) == 1 && list.get(channelAxis()) == 1,
                UNIMPLEMENTED,
                "%s of the batch and depth dimensions must be 1, got %s",
                what,
                list);
    }

    /** Whatever a window is asked for: lists of the right length, of numbers whose products fit 64 bits. */
    private void check() {
        require(strides.size() == rank(), INVALID_ARGUMENT, "strides must have %d entries, got %s", rank(), strides);
        require(
                dilations.isEmpty() || dilations.size() == rank(),
                INVALID_ARGUMENT,
                "dilations must have %d entries, got %s",
                rank(),
                dilations);
        int wanted = padding.equals("EXPLICIT") ? 2 * rank() : 0;
        require(
                explicitPaddings.size() == wanted,
                INVALID_ARGUMENT,
                "explicit_paddings must have %d entries for %s padding, got %s",
                wanted,
                padding,
                explicitPaddings);
        for (List<Long> list : List.of(strides, dilations, explicitPaddings))
            for (long v : list)
                require(
                        v <= Integer.MAX_VALUE,
                        INVALID_ARGUMENT,
                        "strides, dilations and paddings must fit 31 bits, got %s",
                        list);
        for (long p : explicitPaddings)
            require(p >= 0, INVALID_ARGUMENT, "All elements of explicit_paddings must be nonnegative: %s", p);
        if (wanted == 0) return;
        int c = 2 * channelAxis();
        require(
                explicitPaddings.get(0) == 0
                        && explicitPaddings.get(1) == 0
                        && explicitPaddings.get(c) == 0
                        && explicitPaddings.get(c + 1) == 0,
                INVALID_ARGUMENT,
                "Nonzero explicit padding in the batch or depth dimensions is not supported: %s",
                explicitPaddings);
    }

    private long[] dilation() {
        if (!dilations.isEmpty()) return perSpatial(dilations);
        long[] ones = new long[spatial];
        Arrays.fill(ones, 1);
        return ones;
    }

    private Padding padding() {
        if (padding.equals("SAME")) return Padding.SAME;
        if (padding.equals("VALID")) return Padding.VALID;
        long[] before = new long[spatial], after = new long[spatial];
        for (int d = 0; d < spatial; d++) {
            before[d] = explicitPaddings.get(2 * spatialAxis(d));
            after[d] = explicitPaddings.get(2 * spatialAxis(d) + 1);
        }
        return Padding.explicit(before, after);
    }
}
