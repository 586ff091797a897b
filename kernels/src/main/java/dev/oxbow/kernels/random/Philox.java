package dev.oxbow.kernels.random;

import dev.oxbow.tensor.Memory;

/**
 * Philox 4x32-10: block i of a stream is ten mixing rounds of a 128-bit counter under a 64-bit key. Not thread-safe.
 */
public final class Philox {

    /*
     * Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011). Any block can be computed alone, so that
     * threads and ranks draw their own parts of one stream. Seeds become key and counter as in TensorFlow's CPU
     * kernels, whose numbers these are.
     */

    static final int MULTIPLIER_A = 0xD2511F53;
    static final int MULTIPLIER_B = 0xCD9E8D57;
    static final int WEYL_A = 0x9E3779B9;
    static final int WEYL_B = 0xBB67AE85;

    private final int key0;
    private final int key1;
    private long low;
    private long high;

    private Philox(long key, long low, long high) {
        this.key0 = (int) key;
        this.key1 = (int) (key >>> 32);
        this.low = low;
        this.high = high;
    }

    /** The stream of a stateful op: {@code seed} is the key, {@code seed2} the upper half of the counter. */
    public static Philox ofSeeds(long seed, long seed2) {
        return new Philox(seed, 0, seed2);
    }

    /** The stream with an explicit key and counter, as the V2 stateless ops take them. */
    public static Philox ofKey(long key, long counterLow, long counterHigh) {
        return new Philox(key, counterLow, counterHigh);
    }

    /**
     * The stream of a stateless op: both seeds are scrambled into key and counter, so that neither needs to be
     * strong.
     */
    public static Philox ofStateless(long seed0, long seed1) {
        int[] mix = new int[4];
        new Philox(0x02461e293ec8f720L, seed0, seed1).next(mix);
        return new Philox(join(mix[0], mix[1]), 0, join(mix[2], mix[3]));
    }

    /** The key, for ops that hand it on. */
    public long key() {
        return join(key0, key1);
    }

    public long counterLow() {
        return low;
    }

    public long counterHigh() {
        return high;
    }

    public Philox copy() {
        return new Philox(key(), low, high);
    }

    /** A copy that is {@code blocks} further on. */
    public Philox at(long blocks) {
        Philox p = copy();
        p.skip(blocks);
        return p;
    }

    /** Moves on by {@code blocks} blocks of four numbers, unsigned. */
    public void skip(long blocks) {
        long next = low + blocks;
        if (Long.compareUnsigned(next, low) < 0) high++;
        low = next;
    }

    /** Writes the next four 32-bit numbers. */
    public void next(int[] out) {
        int c0 = (int) low, c1 = (int) (low >>> 32), c2 = (int) high, c3 = (int) (high >>> 32);
        int k0 = key0, k1 = key1;
        for (int round = 0; round < 10; round++) {
            long a = (MULTIPLIER_A & 0xffffffffL) * (c0 & 0xffffffffL);
            long b = (MULTIPLIER_B & 0xffffffffL) * (c2 & 0xffffffffL);
            c0 = (int) (b >>> 32) ^ c1 ^ k0;
            c1 = (int) b;
            c2 = (int) (a >>> 32) ^ c3 ^ k1;
            c3 = (int) a;
            k0 += WEYL_A;
            k1 += WEYL_B;
        }
        out[0] = c0;
        out[1] = c1;
        out[2] = c2;
        out[3] = c3;
        if (++low == 0) high++;
    }

    /** Writes the next {@code count} numbers to memory and leaves the rest of the last block unused. */
    void numbers(long address, long count) {
        long whole = count / 4, done = 0;
        if (whole >= PhiloxVectors.LEAST && PhiloxVectors.isReady() && Long.compareUnsigned(low + whole, low) >= 0) {
            done = PhiloxVectors.Vectors.blocks(key0, key1, low, high, address, whole);
            skip(done);
        }
        int[] block = new int[4];
        for (long at = 4 * done; at < count; at += 4) write(block, address + 4 * at, (int) Math.min(4, count - at));
    }

    private void write(int[] block, long address, int n) {
        next(block);
        for (int j = 0; j < n; j++) Memory.putInt(address + 4 * j, block[j]);
    }

    private static long join(int low, int high) {
        return (low & 0xffffffffL) | (long) high << 32;
    }
}
