package dev.oxbow.kernels.codec;

import java.util.Arrays;

/**
 * Inverse cosine transforms of dequantised blocks into samples: the accurate one of integers after Loeffler, Ligtenberg and
 * Moschytz, and its forms that give 4, 2 or 1 samples along a side. Roundings are those of libjpeg, so results are, too.
 */
final class JpegTransform {
    private static final int BITS = 13, FIRST = 2;

    private JpegTransform() {}

    /** Samples of a block of coefficients, which is cleared for the next one; {@code last} is its last non-zero one in zigzag order. */
    static void inverse(int[] b, int last, JpegComponent c, int at) {
        byte[] to = c.plane;
        int size = c.size, stride = c.stride;
        if (c.isFast()) JpegFastTransform.inverse(b, to, at, stride);
        else if (last == 0 && size > 1) flat(b[0], size, to, at, stride);
        else if (size == 8) eight(b, to, at, stride);
        else if (size == 4) four(b, to, at, stride);
        else if (size == 2) two(b, to, at, stride);
        else to[at] = sample(b[0] + 4 >> 3);
        if (last == 0 && !c.isFast()) b[0] = 0;
        else Arrays.fill(b, 0);
    }

    static byte sample(int v) {
        int s = v + 128;
        return (byte) ((s & ~255) == 0 ? s : s < 0 ? 0 : 255);
    }

    private static void flat(int dc, int size, byte[] to, int at, int stride) {
        byte s = sample(dc + 4 >> 3);
        for (int y = 0, row = at; y < size; y++, row += stride) for (int x = 0; x < size; x++) to[row + x] = s;
    }

    private static void eight(int[] b, byte[] to, int at, int stride) {
        for (int x = 0; x < 8; x++) {
            int b1 = b[8 + x], b2 = b[16 + x], b3 = b[24 + x], b4 = b[32 + x];
            int b5 = b[40 + x], b6 = b[48 + x], b7 = b[56 + x];
            if ((b1 | b2 | b3 | b4 | b5 | b6 | b7) == 0) {
                int dc = b[x] << FIRST;
                for (int y = 0; y < 64; y += 8) b[y + x] = dc;
                continue;
            }
            int z1 = (b2 + b6) * 4433, t2 = z1 - b6 * 15137, t3 = z1 + b2 * 6270;
            int t0 = b[x] + b4 << BITS, t1 = b[x] - b4 << BITS;
            int e0 = t0 + t3 + 1024, e3 = t0 - t3 + 1024, e1 = t1 + t2 + 1024, e2 = t1 - t2 + 1024;
            int z5 = (b7 + b3 + b5 + b1) * 9633;
            int z3 = z5 - (b7 + b3) * 16069, z4 = z5 - (b5 + b1) * 3196;
            int za = (b7 + b1) * -7373, zb = (b5 + b3) * -20995;
            int o0 = b7 * 2446 + za + z3, o1 = b5 * 16819 + zb + z4;
            int o2 = b3 * 25172 + zb + z3, o3 = b1 * 12299 + za + z4;
            b[x] = e0 + o3 >> 11;
            b[56 + x] = e0 - o3 >> 11;
            b[8 + x] = e1 + o2 >> 11;
            b[48 + x] = e1 - o2 >> 11;
            b[16 + x] = e2 + o1 >> 11;
            b[40 + x] = e2 - o1 >> 11;
            b[24 + x] = e3 + o0 >> 11;
            b[32 + x] = e3 - o0 >> 11;
        }
        for (int y = 0, row = at; y < 64; y += 8, row += stride) {
            int b1 = b[y + 1], b2 = b[y + 2], b3 = b[y + 3], b4 = b[y + 4];
            int b5 = b[y + 5], b6 = b[y + 6], b7 = b[y + 7];
            int z1 = (b2 + b6) * 4433, t2 = z1 - b6 * 15137, t3 = z1 + b2 * 6270;
            int t0 = b[y] + b4 << BITS, t1 = b[y] - b4 << BITS;
            int e0 = t0 + t3 + (1 << 17), e3 = t0 - t3 + (1 << 17), e1 = t1 + t2 + (1 << 17), e2 = t1 - t2 + (1 << 17);
            int z5 = (b7 + b3 + b5 + b1) * 9633;
            int z3 = z5 - (b7 + b3) * 16069, z4 = z5 - (b5 + b1) * 3196;
            int za = (b7 + b1) * -7373, zb = (b5 + b3) * -20995;
            int o0 = b7 * 2446 + za + z3, o1 = b5 * 16819 + zb + z4;
            int o2 = b3 * 25172 + zb + z3, o3 = b1 * 12299 + za + z4;
            to[row] = sample(e0 + o3 >> 18);
            to[row + 7] = sample(e0 - o3 >> 18);
            to[row + 1] = sample(e1 + o2 >> 18);
            to[row + 6] = sample(e1 - o2 >> 18);
            to[row + 2] = sample(e2 + o1 >> 18);
            to[row + 5] = sample(e2 - o1 >> 18);
            to[row + 3] = sample(e3 + o0 >> 18);
            to[row + 4] = sample(e3 - o0 >> 18);
        }
    }

    private static void four(int[] b, byte[] to, int at, int stride) {
        int[] w = new int[32];
        for (int x = 0; x < 8; x++) {
            if (x == 4) continue;
            int t0 = b[x] << BITS + 1, t2 = b[16 + x] * 15137 - b[48 + x] * 6270;
            int e0 = t0 + t2, e2 = t0 - t2;
            int z1 = b[56 + x], z2 = b[40 + x], z3 = b[24 + x], z4 = b[8 + x];
            int o0 = z1 * -1730 + z2 * 11893 + z3 * -17799 + z4 * 8697;
            int o2 = z1 * -4176 + z2 * -4926 + z3 * 7373 + z4 * 20995;
            w[x] = descaled(e0 + o2, BITS - FIRST + 1);
            w[24 + x] = descaled(e0 - o2, BITS - FIRST + 1);
            w[8 + x] = descaled(e2 + o0, BITS - FIRST + 1);
            w[16 + x] = descaled(e2 - o0, BITS - FIRST + 1);
        }
        for (int y = 0, row = at; y < 32; y += 8, row += stride) {
            int t0 = w[y] << BITS + 1, t2 = w[y + 2] * 15137 - w[y + 6] * 6270;
            int e0 = t0 + t2, e2 = t0 - t2;
            int z1 = w[y + 7], z2 = w[y + 5], z3 = w[y + 3], z4 = w[y + 1];
            int o0 = z1 * -1730 + z2 * 11893 + z3 * -17799 + z4 * 8697;
            int o2 = z1 * -4176 + z2 * -4926 + z3 * 7373 + z4 * 20995;
            to[row] = sample(descaled(e0 + o2, BITS + FIRST + 4));
            to[row + 3] = sample(descaled(e0 - o2, BITS + FIRST + 4));
            to[row + 1] = sample(descaled(e2 + o0, BITS + FIRST + 4));
            to[row + 2] = sample(descaled(e2 - o0, BITS + FIRST + 4));
        }
    }

    private static void two(int[] b, byte[] to, int at, int stride) {
        int[] w = new int[16];
        for (int x = 0; x < 8; x++) {
            if (x == 2 || x == 4 || x == 6) continue;
            int even = b[x] << BITS + 2;
            int odd = b[56 + x] * -5906 + b[40 + x] * 6967 + b[24 + x] * -10426 + b[8 + x] * 29692;
            w[x] = descaled(even + odd, BITS - FIRST + 2);
            w[8 + x] = descaled(even - odd, BITS - FIRST + 2);
        }
        for (int y = 0, row = at; y < 16; y += 8, row += stride) {
            int even = w[y] << BITS + 2;
            int odd = w[y + 7] * -5906 + w[y + 5] * 6967 + w[y + 3] * -10426 + w[y + 1] * 29692;
            to[row] = sample(descaled(even + odd, BITS + FIRST + 5));
            to[row + 1] = sample(descaled(even - odd, BITS + FIRST + 5));
        }
    }

    private static int descaled(int v, int bits) {
        return v + (1 << bits - 1) >> bits;
    }
}
