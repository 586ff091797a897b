package dev.oxbow.kernels.codec;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.InflaterInputStream;

/** Decodes PNG of all colour types, depths and both orders of rows into 1 to 4 channels of 8 or 16 bits. */
public final class PngDecoder {
    private static final byte[] SIGNATURE = {(byte) 137, 'P', 'N', 'G', 13, 10, 26, 10};
    private static final int GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6;
    private static final int[][] ADAM7 = {
        {0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}
    };
    private static final long MOST_BYTES = 1L << 29;

    private final byte[] data;
    private final ByteArrayOutputStream packed = new ByteArrayOutputStream();
    private int width;
    private int height;
    private int depth;
    private int colour;
    private boolean interlaced;
    private byte[] palette;
    private byte[] transparent;

    private PngDecoder(byte[] data) {
        this.data = data;
    }

    /** Whether these bytes begin as a PNG does. */
    public static boolean isPng(byte[] data) {
        for (int i = 0; i < SIGNATURE.length; i++) if (data.length <= i || data[i] != SIGNATURE[i]) return false;
        return true;
    }

    /** Samples of 8 bits, or of 16 with the low byte first; {@code channels} 0 is what the file has. */
    public static Picture decode(byte[] data, int channels, boolean wide) {
        PngDecoder d = new PngDecoder(data);
        d.chunks();
        return d.run(channels, wide);
    }

    private int i32(int at) {
        return (data[at] & 255) << 24 | (data[at + 1] & 255) << 16 | (data[at + 2] & 255) << 8 | data[at + 3] & 255;
    }

    private void chunks() {
        if (!isPng(data)) throw BrokenImage.at("PNG", 0, "does not begin with its signature");
        int at = SIGNATURE.length;
        while (at + 12 <= data.length) {
            int length = i32(at), kind = i32(at + 4);
            if (length < 0 || length > data.length - at - 12)
                throw BrokenImage.at("PNG", at, "a chunk has %d bytes, %d are left", length, data.length - at - 12);
            CRC32 crc = new CRC32();
            crc.update(data, at + 4, length + 4);
            if ((int) crc.getValue() != i32(at + 8 + length))
                throw BrokenImage.at("PNG", at, "a chunk has a wrong CRC");
            if (kind == 0x49454e44) return; // IEND
            chunk(kind, at + 8, length);
            at += 12 + length;
        }
        if (packed.size() == 0) throw BrokenImage.at("PNG", at, "the file ends before its image");
    }

    private void chunk(int kind, int at, int length) {
        switch (kind) {
            case 0x49484452 -> header(at, length); // IHDR
            case 0x504c5445 -> palette = part(at, length); // PLTE
            case 0x74524e53 -> transparent = part(at, length); // tRNS
            case 0x49444154 -> packed.write(data, at, length); // IDAT
            default -> {
                if ((kind >> 24 & 32) == 0) throw BrokenImage.at("PNG", at - 4, "chunk %08x is not known", kind);
            }
        }
    }

    private byte[] part(int at, int length) {
        byte[] p = new byte[length];
        System.arraycopy(data, at, p, 0, length);
        return p;
    }

    private void header(int at, int length) {
        if (length != 13 || width != 0) throw BrokenImage.at("PNG", at, "a header of %d bytes", length);
        width = i32(at);
        height = i32(at + 4);
        depth = data[at + 8];
        colour = data[at + 9];
        interlaced = data[at + 12] != 0;
        boolean known = switch (colour) {
            case GREY -> depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
            case PALETTE -> depth == 1 || depth == 2 || depth == 4 || depth == 8;
            case RGB, GREY_ALPHA, RGBA -> depth == 8 || depth == 16;
            default -> false;
        };
        if (!known || data[at + 10] != 0 || data[at + 11] != 0 || data[at + 12] < 0 || data[at + 12] > 1)
            throw BrokenImage.at("PNG", at, "colours of kind %d with %d bits are not known", colour, depth);
        if (width <= 0 || height <= 0) throw BrokenImage.at("PNG", at, "the image is %d x %d", width, height);
    }

    private int samples() {
        return switch (colour) {
            case RGB -> 3;
            case GREY_ALPHA -> 2;
            case RGBA -> 4;
            default -> 1;
        };
    }

    private Picture run(int wanted, boolean wide) {
        if (width == 0) throw BrokenImage.at("PNG", 8, "there is no header");
        if (colour == PALETTE && palette == null) throw BrokenImage.at("PNG", 8, "there is no palette");
        int own = colour == PALETTE ? (transparent != null ? 4 : 3) : samples();
        int channels = wanted == 0 ? own : wanted;
        long bytes = (long) width * height * channels * (wide ? 2 : 1);
        // deflate can not shrink anything to less than a thousandth
        if (bytes >= MOST_BYTES || bytes / channels * depth / 8 > 1100L * packed.size() + 4096)
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT,
                    "PNG: %d x %d x %d does not come from %d bytes".formatted(width, height, channels, packed.size()));
        Picture out = new Picture(width, height, channels, new byte[(int) bytes]);
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
            if (!interlaced) pass(in, out, wide, new int[] {0, 0, 1, 1});
            else for (int[] p : ADAM7) pass(in, out, wide, p);
        } catch (IOException e) {
            throw BrokenImage.at("PNG", data.length, "its content can not be inflated: %s", e.getMessage());
        }
        return out;
    }

    private void pass(InputStream in, Picture out, boolean wide, int[] p) throws IOException {
        int w = (width - p[0] + p[2] - 1) / p[2], h = (height - p[1] + p[3] - 1) / p[3];
        if (w <= 0 || h <= 0) return;
        int unit = Math.max(1, samples() * depth / 8), length = (int) (((long) w * samples() * depth + 7) / 8);
        byte[] above = new byte[length], row = new byte[length];
        int[] pixel = new int[4];
        for (int y = 0; y < h; y++) {
            int filter = in.read();
            if (filter < 0 || in.readNBytes(row, 0, length) < length)
                throw BrokenImage.at("PNG", data.length, "the content ends in row %d of %d", y, h);
            unfilter(filter, row, above, unit);
            for (int x = 0; x < w; x++) {
                pixel(row, x, pixel);
                long at = (long) (p[1] + y * p[3]) * width + p[0] + x * p[2];
                store(pixel, out, (int) at * out.channels(), wide);
            }
            byte[] swap = above;
            above = row;
            row = swap;
        }
    }

    private static void unfilter(int filter, byte[] row, byte[] above, int unit) {
        for (int i = 0; i < row.length; i++) {
            int left = i < unit ? 0 : row[i - unit] & 255, up = above[i] & 255;
            int corner = i < unit ? 0 : above[i - unit] & 255;
            row[i] += (byte)
                    switch (filter) {
                        case 0 -> 0;
                        case 1 -> left;
                        case 2 -> up;
                        case 3 -> left + up >> 1;
                        case 4 -> paeth(left, up, corner);
                        default -> throw BrokenImage.at("PNG", 0, "a row has filter %d", filter);
                    };
        }
    }

    static int paeth(int a, int b, int c) {
        int p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    }

    private int sample(byte[] row, int i) {
        if (depth == 8) return row[i] & 255;
        if (depth == 16) return (row[2 * i] & 255) << 8 | row[2 * i + 1] & 255;
        int bit = i * depth;
        return row[bit >> 3] >> (8 - depth - (bit & 7)) & (1 << depth) - 1;
    }

    private static int u16(byte[] b, int at) {
        return at + 1 < b.length ? (b[at] & 255) << 8 | b[at + 1] & 255 : 0;
    }

    /** Red, green, blue and alpha of a pixel, in the depth of the file, or 8 bits for less than that. */
    private void pixel(byte[] row, int x, int[] p) {
        p[3] = (1 << depth) - 1; // of a few bits, too, as TensorFlow has libpng fill it in
        switch (colour) {
            case PALETTE -> {
                int i = sample(row, x);
                for (int c = 0; c < 3; c++) p[c] = 3 * i + c < palette.length ? palette[3 * i + c] & 255 : 0;
                if (transparent != null) p[3] = i < transparent.length ? transparent[i] & 255 : 255;
            }
            case GREY, GREY_ALPHA -> {
                int n = samples(), raw = sample(row, n * x);
                int v = depth < 8 ? raw * 255 / ((1 << depth) - 1) : raw;
                p[0] = v;
                p[1] = v;
                p[2] = v;
                if (n == 2) p[3] = sample(row, 2 * x + 1);
                else if (transparent != null) p[3] = u16(transparent, 0) == raw ? 0 : depth == 16 ? 65535 : 255;
            }
            default -> {
                int n = samples();
                boolean match = n == 3 && transparent != null;
                for (int c = 0; c < 3; c++) {
                    p[c] = sample(row, n * x + c);
                    match &= transparent != null && u16(transparent, 2 * c) == p[c];
                }
                if (n == 4) p[3] = sample(row, 4 * x + 3);
                else if (match) p[3] = 0;
            }
        }
    }

    private void store(int[] p, Picture out, int at, boolean wide) {
        boolean grey = out.channels() < 3, deep = depth == 16;
        int[] q = p;
        if (grey) {
            int y = p[0];
            if (colour == RGB || colour == RGBA || colour == PALETTE) y = luma(p, deep);
            q = new int[] {y, p[3]};
        }
        for (int c = 0; c < out.channels(); c++) {
            int v = q[c];
            if (wide) {
                int s = deep ? v : v * 257;
                out.samples()[2 * (at + c)] = (byte) s;
                out.samples()[2 * (at + c) + 1] = (byte) (s >> 8);
            } else {
                out.samples()[at + c] = (byte) (deep ? v >> 8 : v);
            }
        }
    }

    /** Brightness with the weights and roundings of libpng. */
    private static int luma(int[] p, boolean deep) {
        if (p[0] == p[1] && p[0] == p[2]) return p[0];
        return (int) (9797L * p[0] + 19234L * p[1] + 3737L * p[2] + (deep ? 16384 : 0) >> 15);
    }
}
