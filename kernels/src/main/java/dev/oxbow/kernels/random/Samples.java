package dev.oxbow.kernels.random;

import dev.oxbow.tensor.Memory;

/** Numbers of a Philox stream one at a time, and what single numbers become. */
public final class Samples {
    private final Philox stream;
    private final int[] block = new int[4];
    private int used = 4;

    /** Takes numbers from {@code stream}, which moves on. */
    public Samples(Philox stream) {
        this.stream = stream;
    }

    /** The next 32 bits. */
    public int next() {
        if (used == 4) {
            stream.next(block);
            used = 0;
        }
        return block[used++];
    }

    /** The next 64 bits, the low half first. */
    public long nextLong() {
        long low = next() & 0xffffffffL;
        return low | (long) next() << 32;
    }

    /** Uniform in [0, 1). */
    public float nextFloat() {
        return toFloat(next());
    }

    /** Uniform in [0, 1). */
    public double nextDouble() {
        int high = next();
        return toDouble(high, next());
    }

    /** Uniform in [0, n), without the bias of a remainder: the lowest values are rejected. */
    public int uniform(int n) {
        if ((n & n - 1) == 0) return next() & n - 1;
        int rest = Integer.remainderUnsigned(-1, n) + 1, bits = next();
        while (Integer.compareUnsigned(bits, rest) < 0) bits = next();
        return Integer.remainderUnsigned(bits, n);
    }

    /** Uniform in [0, n), likewise. */
    public long uniform(long n) {
        if ((n & n - 1) == 0) return nextLong() & n - 1;
        long rest = Long.remainderUnsigned(-1, n) + 1, bits = nextLong();
        while (Long.compareUnsigned(bits, rest) < 0) bits = nextLong();
        return Long.remainderUnsigned(bits, n);
    }

    /** Uniform in [0, 1) from the low 23 bits. */
    static float toFloat(int x) {
        return Float.intBitsToFloat(127 << 23 | x & 0x7fffff) - 1;
    }

    /** Uniform in [0, 1) from the low 20 bits of {@code x0} and all of {@code x1}. */
    static double toDouble(int x0, int x1) {
        return Double.longBitsToDouble(1023L << 52 | (x0 & 0xfffffL) << 32 | x1 & 0xffffffffL) - 1;
    }

    /**
     * Two normal numbers, {@code r sin(v)} and {@code r cos(v)}, by Box and Muller, rounded to f32 where TensorFlow
     * rounds.
     */
    static void normal(int x0, int x1, float[] out) {
        float r = radius(x0), v = angle(x1);
        out[0] = (float) Angles.sin(v) * r;
        out[1] = (float) Angles.cos(v) * r;
    }

    /** The same for pairs of the n numbers at {@code address}, in place; n is even. */
    static void normals(long address, long n) {
        for (long at = address; at < address + 4 * n; at += 8) {
            float r = radius(Memory.getInt(at)), v = angle(Memory.getInt(at + 4));
            Memory.putFloat(at, (float) Angles.sin(v) * r);
            Memory.putFloat(at + 4, (float) Angles.cos(v) * r);
        }
    }

    private static float radius(int x) {
        return (float) Math.sqrt(-2.0f * (float) Angles.log(Math.max(toFloat(x), 1.0e-7f)));
    }

    private static float angle(int x) {
        return (float) (2 * Math.PI * toFloat(x));
    }

    static void normal(int x0, int x1, int x2, int x3, double[] out) {
        double u = Math.max(toDouble(x0, x1), 1.0e-7);
        double v = 2 * Math.PI * toDouble(x2, x3);
        double r = Math.sqrt(-2.0 * Math.log(u));
        out[0] = Math.sin(v) * r;
        out[1] = Math.cos(v) * r;
    }
}
