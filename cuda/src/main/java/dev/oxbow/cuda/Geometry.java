package dev.oxbow.cuda;

import dev.oxbow.kernels.numeric.Padding;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** How a window slides over images: sizes, steps and borders, rows before columns. */
record Geometry(
        long batch,
        long[] in,
        long channels,
        long[] kernel,
        long[] stride,
        long[] dilation,
        long[] before,
        long[] out) {

    /** Of a window whose attributes have one entry for each dimension of the images; null where the card has no kernel. */
    static Geometry of(
            Shape images,
            long kernelRows,
            long kernelColumns,
            List<Long> strides,
            List<Long> dilations,
            String padding,
            List<Long> explicit,
            String format) {
        if (images.rank() != 4) return null;
        int rows = format.equals("NCHW") ? 2 : 1, columns = rows + 1, channels = rows == 1 ? 3 : 1;
        Padding p = switch (padding) {
            case "SAME" -> Padding.SAME;
            case "VALID" -> Padding.VALID;
            default ->
                Padding.explicit(
                        new long[] {explicit.get(2 * rows), explicit.get(2 * columns)},
                        new long[] {explicit.get(2 * rows + 1), explicit.get(2 * columns + 1)});
        };
        long[] in = {images.dim(rows), images.dim(columns)}, kernel = {kernelRows, kernelColumns};
        long[] stride = {strides.get(rows), strides.get(columns)};
        long[] dilation =
                dilations.isEmpty() ? new long[] {1, 1} : new long[] {dilations.get(rows), dilations.get(columns)};
        long[] before = new long[2], out = new long[2];
        for (int d = 0; d < 2; d++) {
            before[d] = p.before(d, in[d], kernel[d], stride[d], dilation[d]);
            out[d] = p.outputSize(d, in[d], kernel[d], stride[d], dilation[d]);
        }
        return new Geometry(images.dim(0), in, images.dim(channels), kernel, stride, dilation, before, out);
    }

    /** Output positions of all images. */
    long positions() {
        return batch * out[0] * out[1];
    }

    /** Elements of one window. */
    long taps() {
        return kernel[0] * kernel[1] * channels;
    }

    long inputs() {
        return batch * in[0] * in[1] * channels;
    }

    /** Whether every window is one input position, in their order. */
    boolean isPointwise() {
        boolean same = true;
        for (int d = 0; d < 2; d++) same &= kernel[d] == 1 && stride[d] == 1 && before[d] == 0 && out[d] == in[d];
        return same;
    }

    /** Whether kernels can count its elements in 31 bits. */
    boolean isCountable() {
        return positions() * taps() < 1L << 31 && inputs() < 1L << 31;
    }

    /** The parameters of kernels that slide it over images with their channels last, in the order of {@link #PARAMETERS}. */
    long[] arguments(long... places) {
        long[] own = {
            batch,
            in[0],
            in[1],
            channels,
            kernel[0],
            kernel[1],
            stride[0],
            stride[1],
            dilation[0],
            dilation[1],
            before[0],
            before[1],
            out[0],
            out[1]
        };
        long[] all = Arrays.copyOf(places, places.length + own.length);
        System.arraycopy(own, 0, all, places.length, own.length);
        return all;
    }

    static final String PARAMETERS =
            "int B, int H, int W, int C, int KH, int KW, int SH, int SW, int DH, int DW, int PH, int PW, int OH, int OW";
}
