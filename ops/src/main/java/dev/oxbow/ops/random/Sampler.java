package dev.oxbow.ops.random;

import dev.oxbow.kernels.random.Samples;
import dev.oxbow.tensor.Tensor;

/** A distribution over the classes {@code [0, range)} that candidates are drawn from. */
interface Sampler {
    long range();

    long sample(Samples source);

    float probability(long value);

    /** Learns from the classes that occurred. */
    default void update(Tensor occurred) {}

    /** Every class with the same probability. */
    static Sampler uniform(long range) {
        return new Sampler() {
            @Override
            public long range() {
                return range;
            }

            @Override
            public long sample(Samples source) {
                return source.uniform(range);
            }

            @Override
            public float probability(long value) {
                return 1.0f / range;
            }
        };
    }

    /** {@code p(k) = log((k + 2) / (k + 1)) / log(range + 1)}: about Zipf's law for classes sorted by frequency. */
    static Sampler logUniform(long range) {
        double log = Math.log1p(range);
        return new Sampler() {
            @Override
            public long range() {
                return range;
            }

            @Override
            public long sample(Samples source) {
                return ((long) Math.exp(source.nextDouble() * log) - 1) % range;
            }

            @Override
            public float probability(long value) {
                return (float) (Math.log((value + 2.0) / (value + 1.0)) / log);
            }
        };
    }

    /** Classes by how often they occurred so far, each once at the start. */
    static Sampler unigram(long range) {
        WeightTree weights = WeightTree.ofOnes(range);
        return new Sampler() {

            @Override
            public long range() {
                return range;
            }

            @Override
            public synchronized long sample(Samples source) {
                return weights.at(source.uniform(weights.total()));
            }

            @Override
            public synchronized float probability(long value) {
                return (float) weights.weight((int) value) / weights.total();
            }

            @Override
            public synchronized void update(Tensor occurred) {
                for (long i = 0; i < occurred.size(); i++) weights.increase((int) occurred.getLong(i));
            }
        };
    }

    /** Classes by given weights, drawn by Walker's alias method. */
    static Sampler fixed(float[] weights) {
        int n = weights.length;
        float[] threshold = new float[n];
        int[] other = new int[n];
        float sum = 0;
        for (float w : weights) sum += w;
        float total = sum;
        AliasTable.fill(weights, threshold, other);
        return new Sampler() {
            @Override
            public long range() {
                return n;
            }

            @Override
            public long sample(Samples source) {
                float r = source.nextFloat();
                int i = source.uniform(n);
                return r < threshold[i] ? i : other[i];
            }

            @Override
            public float probability(long value) {
                return weights[(int) value] / total;
            }
        };
    }
}
