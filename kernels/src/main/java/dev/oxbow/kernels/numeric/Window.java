package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Shape;

/**
 * A window that slides over up to three spatial dimensions of a batch of images; the geometry of convolutions and
 * pools.
 */
public final class Window {
    /** Images, and channels of an image. */
    final long batch;

    final long channels;

    /** Per spatial dimension, always three; missing ones are 1 at the front. */
    final long[] in = {1, 1, 1};

    final long[] kernel = {1, 1, 1};
    final long[] stride = {1, 1, 1};
    final long[] dilation = {1, 1, 1};
    final long[] before = new long[3];
    final long[] out = {1, 1, 1};

    private final int rank;
    private final boolean channelsFirst;

    private Window(Shape input, boolean channelsFirst, long[] kernel, long[] stride, long[] dilation, Padding padding) {
        this.rank = input.rank() - 2;
        this.channelsFirst = channelsFirst;
        this.batch = input.dim(0);
        this.channels = input.dim(channelsFirst ? 1 : -1);
        for (int d = 0; d < rank; d++) {
            int s = 3 - rank + d;
            this.in[s] = input.dim(d + (channelsFirst ? 2 : 1));
            this.kernel[s] = kernel[d];
            this.stride[s] = stride[d];
            this.dilation[s] = dilation[d];
            this.before[s] = padding.before(d, in[s], kernel[d], stride[d], dilation[d]);
            this.out[s] = padding.outputSize(d, in[s], kernel[d], stride[d], dilation[d]);
        }
    }

    /** A window over images of shape {@code input}; the arrays have one entry per spatial dimension. */
    public static Window of(
            Shape input, boolean channelsFirst, long[] kernel, long[] stride, long[] dilation, Padding padding) {
        return new Window(input, channelsFirst, kernel, stride, dilation, padding);
    }

    /** The shape of an output with {@code channels} channels, in the layout of the input. */
    public Shape output(long channels) {
        long[] dims = new long[rank + 2];
        dims[0] = batch;
        dims[channelsFirst ? 1 : rank + 1] = channels;
        for (int d = 0; d < rank; d++) dims[d + (channelsFirst ? 2 : 1)] = out[3 - rank + d];
        return Shape.of(dims);
    }

    boolean channelsFirst() {
        return channelsFirst;
    }

    /** Input and output positions of one image. */
    long inPositions() {
        return in[0] * in[1] * in[2];
    }

    long positions() {
        return out[0] * out[1] * out[2];
    }

    long taps() {
        return kernel[0] * kernel[1] * kernel[2];
    }

    /** No output has more taps inside of the input than this. */
    long mostTaps() {
        return Math.min(kernel[0], in[0]) * Math.min(kernel[1], in[1]) * Math.min(kernel[2], in[2]);
    }

    /** The input coordinate of the window's first tap along d at output coordinate {@code o}; it may be outside. */
    long start(int d, long o) {
        return o * stride[d] - before[d];
    }

    /** The first tap along d that is inside the input when the window starts at {@code start}. */
    long firstTap(int d, long start) {
        return start >= 0 ? 0 : (-start + dilation[d] - 1) / dilation[d];
    }

    /** One past the last tap inside. */
    long lastTap(int d, long start) {
        return Math.min(kernel[d], Math.floorDiv(in[d] - 1 - start, dilation[d]) + 1);
    }

    /** Whether every output position reads exactly the input position of the same number. */
    boolean isPointwise() {
        for (int d = 0; d < 3; d++)
            if (kernel[d] != 1 || stride[d] != 1 || before[d] != 0 || out[d] != in[d]) return false;
        return true;
    }
}
