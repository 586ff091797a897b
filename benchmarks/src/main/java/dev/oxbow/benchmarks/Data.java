package dev.oxbow.benchmarks;

import java.util.Random;

/** The perceptron 784-512-256-10 on batches of 128: sizes, start values and one batch, the same for every system. */
final class Data {
    static final int BATCH = 128;
    static final int[] SIZES = {784, 512, 256, 10};
    static final float RATE = 0.01f;

    private Data() {}

    static float[] images() {
        return gaussian(BATCH * SIZES[0], 1, 1);
    }

    /** One-hot classes. */
    static float[] labels() {
        float[] y = new float[BATCH * 10];
        Random random = new Random(5);
        for (int i = 0; i < BATCH; i++) y[i * 10 + random.nextInt(10)] = 1;
        return y;
    }

    static float[] weights(int layer) {
        return gaussian(SIZES[layer] * SIZES[layer + 1], 10 + layer, Math.sqrt(1.0 / SIZES[layer]));
    }

    private static float[] gaussian(int n, long seed, double scale) {
        float[] f = new float[n];
        Random random = new Random(seed);
        for (int i = 0; i < n; i++) f[i] = (float) (random.nextGaussian() * scale);
        return f;
    }
}
