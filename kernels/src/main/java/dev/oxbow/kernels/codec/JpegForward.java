package dev.oxbow.kernels.codec;

/** The accurate cosine transform of integers and the quantisers of a quality, with the roundings of libjpeg. */
final class JpegForward {
    private static final int[] LUMA = {
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
        51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121,
        120, 101, 72, 92, 95, 98, 112, 100, 103, 99
    };
    private static final int[] CHROMA = {
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99,
                99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                99,
        99, 99, 99, 99, 99, 99
    };

    private JpegForward() {}

    /** The quantiser of a quality from 1 to 100, in the order of rows. */
    static int[] quantiser(boolean chroma, int quality) {
        int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
        int[] q = new int[64];
        for (int i = 0; i < 64; i++) q[i] = Math.clamp(((chroma ? CHROMA : LUMA)[i] * (long) scale + 50) / 100, 1, 255);
        return q;
    }

    /** Quantised coefficients, in the order of rows, of samples around zero, which are changed. */
    static void transform(int[] b, int[] q, short[] to, int at) {
        for (int y = 0; y < 64; y += 8) pass(b, y, 1, true);
        for (int x = 0; x < 8; x++) pass(b, x, 8, false);
        for (int i = 0; i < 64; i++) {
            int d = q[i] << 3, v = Math.abs(b[i]) + (d >> 1);
            to[at + i] = (short) (b[i] < 0 ? -(v / d) : v / d);
        }
    }

    private static int descaled(int v, int bits) {
        return v + (1 << bits - 1) >> bits;
    }

    private static void pass(int[] b, int i, int s, boolean rows) {
        int t0 = b[i] + b[i + 7 * s], t7 = b[i] - b[i + 7 * s], t1 = b[i + s] + b[i + 6 * s];
        int t6 = b[i + s] - b[i + 6 * s], t2 = b[i + 2 * s] + b[i + 5 * s], t5 = b[i + 2 * s] - b[i + 5 * s];
        int t3 = b[i + 3 * s] + b[i + 4 * s], t4 = b[i + 3 * s] - b[i + 4 * s];
        int t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2, bits = rows ? 11 : 15;
        b[i] = rows ? t10 + t11 << 2 : descaled(t10 + t11, 2);
        b[i + 4 * s] = rows ? t10 - t11 << 2 : descaled(t10 - t11, 2);
        int z1 = (t12 + t13) * 4433;
        b[i + 2 * s] = descaled(z1 + t13 * 6270, bits);
        b[i + 6 * s] = descaled(z1 - t12 * 15137, bits);
        int z5 = (t4 + t6 + t5 + t7) * 9633, z3 = z5 - (t4 + t6) * 16069, z4 = z5 - (t5 + t7) * 3196;
        int za = (t4 + t7) * -7373, zb = (t5 + t6) * -20995;
        b[i + 7 * s] = descaled(t4 * 2446 + za + z3, bits);
        b[i + 5 * s] = descaled(t5 * 16819 + zb + z4, bits);
        b[i + 3 * s] = descaled(t6 * 25172 + zb + z3, bits);
        b[i + s] = descaled(t7 * 12299 + za + z4, bits);
    }
}
