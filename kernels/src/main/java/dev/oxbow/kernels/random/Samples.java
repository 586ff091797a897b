package dev.oxbow.kernels.random;

/** Numbers of a Philox stream one at a time, and what single numbers become. */
final class Samples {
    private final Philox stream;
    private final int[] block = new int[4];
    private int used = 4;

    Samples(Philox stream) {
        this.stream = stream;
    }

    int next() {
        if (used == 4) {
            stream.next(block);
            used = 0;
        }
        return block[used++];
    }

    /** Uniform in [0, 1) from the low 23 bits. */
    static float toFloat(int x) {
        return Float.intBitsToFloat(127 << 23 | x & 0x7fffff) - 1;
    }

    /** Uniform in [0, 1) from the low 20 bits of {@code x0} and all of {@code x1}. */
    static double toDouble(int x0, int x1) {
        return Double.longBitsToDouble(1023L << 52 | (x0 & 0xfffffL) << 32 | x1 & 0xffffffffL) - 1;
    }

    /** Two normal numbers, {@code r sin(v)} and {@code r cos(v)}, by Box and Muller, rounded to f32 where TensorFlow rounds. */
    static void normal(int x0, int x1, float[] out) {
        float u = Math.max(toFloat(x0), 1.0e-7f);
        float v = (float) (2 * Math.PI * toFloat(x1));
        float r = (float) Math.sqrt(-2.0f * (float) Math.log(u));
        out[0] = (float) Math.sin(v) * r;
        out[1] = (float) Math.cos(v) * r;
    }

    static void normal(int x0, int x1, int x2, int x3, double[] out) {
        double u = Math.max(toDouble(x0, x1), 1.0e-7);
        double v = 2 * Math.PI * toDouble(x2, x3);
        double r = Math.sqrt(-2.0 * Math.log(u));
        out[0] = Math.sin(v) * r;
        out[1] = Math.cos(v) * r;
    }
}
