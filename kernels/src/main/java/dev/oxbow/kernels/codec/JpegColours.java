package dev.oxbow.kernels.codec;

import dev.oxbow.kernels.codec.JpegFrame.Colours;

/** Colours of components as RGB or grey, in fixed point with the roundings of libjpeg. */
final class JpegColours {
    private static final int HALF = 1 << 15;
    private static final int[] RED = new int[256],
            BLUE = new int[256],
            GREEN_CR = new int[256],
            GREEN_CB = new int[256];

    static {
        for (int i = 0; i < 256; i++) {
            int x = i - 128;
            RED[i] = 91881 * x + HALF >> 16;
            BLUE[i] = 116130 * x + HALF >> 16;
            GREEN_CR[i] = -46802 * x;
            GREEN_CB[i] = -22554 * x + HALF;
        }
    }

    private JpegColours() {}

    private static byte clamp(int v) {
        return (byte) ((v & ~255) == 0 ? v : v < 0 ? 0 : 255);
    }

    /** Whether components can become so many channels. */
    static boolean isPossible(Colours from, int channels) {
        return channels == 3 || channels == 1 && from != Colours.CMYK && from != Colours.YCCK;
    }

    /** How many components are looked at. */
    static int needed(Colours from, int channels) {
        return switch (from) {
            case GREY -> 1;
            case YCC -> channels;
            case RGB -> 3;
            case CMYK, YCCK -> 4;
        };
    }

    /** Writes {@code n} pixels of a row. */
    static void convert(Colours from, boolean inverted, int channels, byte[][] rows, int n, byte[] out, int at) {
        switch (from) {
            case GREY -> grey(rows[0], channels, n, out, at);
            case YCC -> {
                if (channels == 1) System.arraycopy(rows[0], 0, out, at, n);
                else ycc(rows, n, out, at);
            }
            case RGB -> rgb(rows, channels, n, out, at);
            case CMYK, YCCK -> {
                if (from == Colours.YCCK) inks(rows, n);
                cmyk(rows, inverted, n, out, at);
            }
        }
    }

    private static void grey(byte[] row, int channels, int n, byte[] out, int at) {
        for (int i = 0, o = at; i < n; i++) for (int c = 0; c < channels; c++) out[o++] = row[i];
    }

    private static void ycc(byte[][] rows, int n, byte[] out, int at) {
        byte[] ys = rows[0], cbs = rows[1], crs = rows[2];
        for (int i = 0, o = at; i < n; i++, o += 3) {
            int y = ys[i] & 255, cb = cbs[i] & 255, cr = crs[i] & 255;
            out[o] = clamp(y + RED[cr]);
            out[o + 1] = clamp(y + (GREEN_CB[cb] + GREEN_CR[cr] >> 16));
            out[o + 2] = clamp(y + BLUE[cb]);
        }
    }

    private static void rgb(byte[][] rows, int channels, int n, byte[] out, int at) {
        for (int i = 0, o = at; i < n; i++) {
            int r = rows[0][i] & 255, g = rows[1][i] & 255, b = rows[2][i] & 255;
            if (channels == 1) {
                out[o++] = (byte) (19595 * r + 38470 * g + 7471 * b + HALF >> 16);
            } else {
                out[o++] = (byte) r;
                out[o++] = (byte) g;
                out[o++] = (byte) b;
            }
        }
    }

    /** Luma and chroma as inks, in place. */
    private static void inks(byte[][] rows, int n) {
        for (int i = 0; i < n; i++) {
            int y = rows[0][i] & 255, cb = rows[1][i] & 255, cr = rows[2][i] & 255;
            rows[0][i] = clamp(255 - (y + RED[cr]));
            rows[1][i] = clamp(255 - (y + (GREEN_CB[cb] + GREEN_CR[cr] >> 16)));
            rows[2][i] = clamp(255 - (y + BLUE[cb]));
        }
    }

    /** Inks as light, as TensorFlow does it; Adobe's files hold them inverted. */
    private static void cmyk(byte[][] rows, boolean inverted, int n, byte[] out, int at) {
        for (int i = 0, o = at; i < n; i++) {
            int k = rows[3][i] & 255;
            for (int c = 0; c < 3; c++) {
                int v = rows[c][i] & 255;
                out[o++] = (byte) (inverted ? k * v / 255 : (255 - k) * (255 - v) / 255);
            }
        }
    }
}
