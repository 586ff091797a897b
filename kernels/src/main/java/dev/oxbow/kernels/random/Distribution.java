package dev.oxbow.kernels.random;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/** Distributions without parameters: how a stream fills a tensor. */
public enum Distribution {
    UNIFORM(Distributions::uniform),
    NORMAL(Distributions::normal),
    TRUNCATED_NORMAL(Distributions::truncatedNormal),
    FULL_INT(Distributions::fullInt);

    private interface Fill {
        void run(Philox stream, Tensor y, Parallel parallel);
    }

    private final Fill fill;

    Distribution(Fill fill) {
        this.fill = fill;
    }

    /** Fills {@code y}; the stream stays where it is. */
    public void fill(Philox stream, Tensor y, Parallel parallel) {
        fill.run(stream, y, parallel);
    }
}
