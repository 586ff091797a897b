package dev.oxbow.kernels.codec;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;

/**
 * Decodes baseline and progressive JPEG, a window of it or all, in its size or in a half, a quarter or an eighth. Samples are
 * those of libjpeg, bit for bit, with its accurate transform or its fast one.
 *
 * <p>A window costs the entropy decoding of what lies above and beside it, but no transform, no colours and no memory of that; what
 * lies below it is not looked at in a baseline file.
 */
public final class JpegDecoder {
    private static final long MOST_BYTES = 1L << 29;

    /** A part of an image, in pixels. */
    public record Window(int x, int y, int width, int height) {}

    /** The size of an image and the number of its components. */
    public record Header(int width, int height, int components) {}

    /**
     * How to decode.
     *
     * @param channels 1 for grey, 3 for RGB, 0 for what the file has
     * @param ratio by how much the sides shrink: 1, 2, 4 or 8
     * @param fancy whether chroma is interpolated
     * @param fast whether the transform may be some levels off
     * @param lenient whether a file that ends early gives what there is
     * @param edged whether chroma is not interpolated over the sides of a window, as in windows of libjpeg
     */
    public record Options(int channels, int ratio, boolean fancy, boolean fast, boolean lenient, boolean edged) {
        public static final Options RGB = new Options(3, 1, true, false, false, false);
    }

    private final JpegFrame frame;
    private final Options options;
    private final int smallest;
    private final JpegRows rows;

    private JpegDecoder(byte[] data, Options options) {
        this.options = options;
        frame = new JpegFrame(data);
        frame.header();
        smallest = 8 / options.ratio;
        rows = new JpegRows(frame, options.fancy, smallest);
        layOut();
    }

    /** Whether these bytes begin as a JPEG does. */
    public static boolean isJpeg(byte[] data) {
        return data.length > 2 && data[0] == -1 && data[1] == -40 && data[2] == -1;
    }

    public static Header header(byte[] data) {
        JpegFrame f = new JpegFrame(data);
        f.header();
        return new Header(f.width, f.height, f.components.size());
    }

    /** Decodes a window of the image after scaling; null for all of it. */
    public static Picture decode(byte[] data, Window window, Options options) {
        return new JpegDecoder(data, options).run(window);
    }

    private static int ceil(long a, long b) {
        return (int) ((a + b - 1) / b);
    }

    private void layOut() {
        int wide = ceil(frame.width, 8L * frame.maxH), high = ceil(frame.height, 8L * frame.maxV);
        long blocks = 0;
        for (JpegComponent c : frame.components) {
            int size = smallest;
            while (size < 8
                    && frame.maxH * smallest % (c.h * size * 2) == 0
                    && frame.maxV * smallest % (c.v * size * 2) == 0) size *= 2;
            c.size = size;
            c.useFast(options.fast);
            c.width = ceil((long) frame.width * c.h * size, 8L * frame.maxH);
            c.height = ceil((long) frame.height * c.v * size, 8L * frame.maxV);
            c.blocksWide = ceil(ceil((long) frame.width * c.h, frame.maxH), 8);
            c.blocksHigh = ceil(ceil((long) frame.height * c.v, frame.maxV), 8);
            c.paddedWide = wide * c.h;
            c.paddedHigh = high * c.v;
            blocks += (long) c.blocksWide * c.blocksHigh;
            rows.check(c);
        }
        if (!options.lenient && blocks > 8L * frame.data.length)
            throw BrokenImage.at(
                    "JPEG",
                    frame.data.length,
                    "Premature end of JPEG data: %d blocks of a bit at least do not fit into the file",
                    blocks);
    }

    private Picture run(Window wanted) {
        int width = ceil(frame.width, options.ratio), height = ceil(frame.height, options.ratio);
        Window w = wanted == null ? new Window(0, 0, width, height) : wanted;
        if (w.x < 0 || w.y < 0 || w.width <= 0 || w.height <= 0 || w.width > width - w.x || w.height > height - w.y)
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT, "JPEG: window %s is not inside of %d x %d".formatted(w, width, height));
        int channels = options.channels == 0 ? Math.min(3, frame.components.size()) : options.channels;
        if (!JpegColours.isPossible(frame.colours(), channels))
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT,
                    "JPEG: an image of %s can not become one of %d channels".formatted(frame.colours(), channels));
        if ((long) w.width * w.height * channels >= MOST_BYTES)
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT,
                    "JPEG: %d x %d x %d is too large".formatted(w.width, w.height, channels));
        int needed = JpegColours.needed(frame.colours(), channels);
        for (JpegComponent c : frame.components.subList(0, needed)) rows.keep(c, w, options.edged);
        scans();
        return picture(w, channels, needed);
    }

    private void scans() {
        int wide = ceil(frame.width, 8L * frame.maxH), high = ceil(frame.height, 8L * frame.maxV), last = 0;
        for (JpegComponent c : frame.components) {
            last = Math.max(last, ceil(c.bottom, c.v));
            if (options.lenient) Arrays.fill(c.plane, (byte) 128);
            if (frame.progressive) c.coefficients = new short[Math.multiplyExact(64, c.paddedWide * c.paddedHigh)];
        }
        int seen = 0, all = frame.components.size();
        for (int at = frame.nextScan(); at >= 0; at = seen < all || frame.progressive ? frame.nextScan() : -1) {
            boolean only = frame.scan.size() == all && !frame.progressive;
            frame.goTo(new JpegScan(frame, at, options.lenient).run(wide, high, only ? last : high));
            seen += frame.scan.size();
        }
        if ((seen < all || frame.progressive && !frame.isEnded()) && !options.lenient)
            throw BrokenImage.at("JPEG", frame.data.length, "Premature end of JPEG data");
        if (frame.progressive) for (JpegComponent c : frame.components) transform(c);
    }

    private static void transform(JpegComponent c) {
        int[] block = new int[64];
        if (c.table == null) return;
        for (int by = c.top; by < c.bottom; by++)
            for (int bx = c.left; bx < c.right; bx++) {
                int at = (by * c.paddedWide + bx) * 64, last = 0;
                for (int k = 0; k < 64; k++) {
                    int v = c.coefficients[at + JpegFrame.ZIGZAG[k]];
                    if (v == 0) continue;
                    block[JpegFrame.ZIGZAG[k]] = v * c.table[k];
                    last = k;
                }
                JpegTransform.inverse(block, last, c, c.place(bx, by));
            }
    }

    private Picture picture(Window w, int channels, int needed) {
        byte[] out = new byte[w.width * w.height * channels];
        byte[][] lines = new byte[needed][w.width];
        for (int y = 0; y < w.height; y++) {
            for (int c = 0; c < needed; c++) rows.row(frame.components.get(c), w.y + y, w.x, w.width, lines[c]);
            JpegColours.convert(frame.colours(), frame.adobe, channels, lines, w.width, out, y * w.width * channels);
        }
        return new Picture(w.width, w.height, channels, out);
    }
}
