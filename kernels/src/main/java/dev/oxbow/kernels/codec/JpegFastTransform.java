package dev.oxbow.kernels.codec;

/**
 * The fast inverse transform after Arai, Agui and Nakajima, whose scaling is in the quantisers; as in libjpeg, nothing is rounded
 * on the way, so it is some levels off the accurate one. TensorFlow decodes with it unless told otherwise.
 */
final class JpegFastTransform {
    private static final int BITS = 8;
    private static final double[] SCALES = new double[8];

    static {
        SCALES[0] = 1;
        for (int k = 1; k < 8; k++) SCALES[k] = Math.cos(k * Math.PI / 16) * Math.sqrt(2);
    }

    private JpegFastTransform() {}

    /** A quantiser, along the zigzag, with the scaling of rows and columns in it. */
    static int[] scaled(int[] table) {
        int[] q = new int[64];
        for (int k = 0; k < 64; k++) {
            int at = JpegFrame.ZIGZAG[k], scale = (int) Math.round(SCALES[at >> 3] * SCALES[at & 7] * (1 << 14));
            q[k] = (int) ((long) table[k] * scale + (1 << 11) >> 12);
        }
        return q;
    }

    /** Samples of a block of 8 by 8, which is changed. */
    static void inverse(int[] b, byte[] to, int at, int stride) {
        for (int x = 0; x < 8; x++) pass(b, x, 8);
        for (int y = 0, row = at; y < 64; y += 8, row += stride) {
            pass(b, y, 1);
            for (int x = 0; x < 8; x++) to[row + x] = JpegTransform.sample(b[y + x] >> 5);
        }
    }

    private static int times(int v, int constant) {
        return v * constant >> BITS;
    }

    private static void pass(int[] b, int i, int s) {
        int t10 = b[i] + b[i + 4 * s], t11 = b[i] - b[i + 4 * s], t13 = b[i + 2 * s] + b[i + 6 * s];
        int t12 = times(b[i + 2 * s] - b[i + 6 * s], 362) - t13;
        int t0 = t10 + t13, t3 = t10 - t13, t1 = t11 + t12, t2 = t11 - t12;
        int z13 = b[i + 5 * s] + b[i + 3 * s], z10 = b[i + 5 * s] - b[i + 3 * s];
        int z11 = b[i + s] + b[i + 7 * s], z12 = b[i + s] - b[i + 7 * s];
        int o7 = z11 + z13, z5 = times(z10 + z12, 473);
        int o6 = times(z10, -669) + z5 - o7, o5 = times(z11 - z13, 362) - o6, o4 = times(z12, 277) - z5 + o5;
        b[i] = t0 + o7;
        b[i + 7 * s] = t0 - o7;
        b[i + s] = t1 + o6;
        b[i + 6 * s] = t1 - o6;
        b[i + 2 * s] = t2 + o5;
        b[i + 5 * s] = t2 - o5;
        b[i + 4 * s] = t3 + o4;
        b[i + 3 * s] = t3 - o4;
    }
}
