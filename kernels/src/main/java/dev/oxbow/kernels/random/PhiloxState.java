package dev.oxbow.kernels.random;

import java.security.SecureRandom;

/** The random state of one stateful node: each run reserves its part of the stream. Thread-safe. */
public final class PhiloxState {
    /** Blocks that TensorFlow's ops reserve for each output element, however few they use. */
    public static final int BLOCKS_PER_OUTPUT = 256;

    private final Philox stream;

    private PhiloxState(Philox stream) {
        this.stream = stream;
    }

    /** The state for a node's seeds; when both are 0 it starts anywhere. */
    public static PhiloxState of(long seed, long seed2) {
        if (seed != 0 || seed2 != 0) return new PhiloxState(Philox.ofSeeds(seed, seed2));
        SecureRandom random = new SecureRandom();
        return new PhiloxState(Philox.ofSeeds(random.nextLong(), random.nextLong()));
    }

    /** The state as saved by {@link #snapshot}. */
    public static PhiloxState of(Philox stream) {
        return new PhiloxState(stream.copy());
    }

    /** Reserves {@code blocks} blocks of four 32-bit numbers and gives a generator at their start. */
    public synchronized Philox reserve(long blocks) {
        Philox p = stream.copy();
        stream.skip(blocks);
        return p;
    }

    /** Reserves what an op with {@code outputs} elements does. */
    public Philox reserveOutputs(long outputs) {
        return reserve(outputs * BLOCKS_PER_OUTPUT);
    }

    /** Where the stream stands, for checkpoints. */
    public synchronized Philox snapshot() {
        return stream.copy();
    }
}
