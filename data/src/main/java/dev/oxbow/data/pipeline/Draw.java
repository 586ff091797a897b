package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.random.Philox;

/**
 * The random numbers of one element, by Philox from (seed, epoch, index): the same whoever computes it, whenever and how often.
 */
public final class Draw {
    private static final int BLOCK = 4;

    private final long seed;
    private final long epoch;
    private final long index;
    private Philox philox;
    private int[] block;
    private int used = BLOCK;

    public Draw(long seed, long epoch, long index) {
        this.seed = seed;
        this.epoch = epoch;
        this.index = index;
    }

    public long epoch() {
        return epoch;
    }

    /** How many elements of the epoch come before this one. */
    public long index() {
        return index;
    }

    public int bits() {
        if (used == BLOCK) {
            if (philox == null) { // most elements want no random number
                philox = Philox.ofKey(seed, epoch << Integer.SIZE, index);
                block = new int[BLOCK];
            }
            philox.next(block);
            used = 0;
        }
        return block[used++];
    }

    /** Evenly from 0 to 1, without 1. */
    public double uniform() {
        return (((long) bits() << Integer.SIZE | bits() & 0xffffffffL) >>> 11) * 0x1p-53;
    }

    /** Evenly between two numbers, without the second. */
    public double uniform(double from, double to) {
        return from + uniform() * (to - from);
    }

    /** A whole number from 0 to {@code n}, without {@code n}. */
    public int below(int n) {
        require(n > 0, INVALID_ARGUMENT, "Draw: there is no number from 0 below %d", n);
        return (int) ((bits() & 0xffffffffL) * n >>> Integer.SIZE);
    }

    public boolean coin() {
        return bits() < 0;
    }
}
