package dev.oxbow.kernels.random;

/**
 * A permutation of {@code [0, last]} that needs no memory: a block cipher of few rounds (Simon), applied until the result is in
 * range (cycle walking).
 */
public final class IndexShuffle {
    public static final int MOST_ROUNDS = 64;

    private static final int LEAST_BITS = 16;
    private static final long C = 0xfffffffcL, Z = 0x7369f885192c0ef5L;

    private final long last;
    private final int bits;
    private final long mask;
    private final long[] keys;

    /** The permutation of a key of 96 bits; unsigned numbers, an even number of rounds from 4 to {@link #MOST_ROUNDS}. */
    public IndexShuffle(int key0, int key1, int key2, long last, int rounds) {
        this.last = last;
        int width = last == 0 ? 0 : 64 - Long.numberOfLeadingZeros(last);
        // TensorFlow takes the logarithm of the last index, not of their number, so a power of two has one bit less.
        if (last != 0 && Long.bitCount(last) == 1) width--;
        this.bits = Math.max(width + width % 2, LEAST_BITS) / 2;
        this.mask = (1L << bits) - 1;
        this.keys = new long[rounds];
        keys[0] = key0 & 0xffffffffL & mask;
        keys[1] = key1 & 0xffffffffL & mask;
        keys[2] = key2 & 0xffffffffL & mask;
        long z = Z & mask;
        for (int i = 3; i < rounds; i++) {
            keys[i] = (C & mask) ^ (z & 1) ^ keys[i - 3] ^ right(keys[i - 1], 3) ^ right(keys[i - 1], 4);
            z >>>= 1;
        }
    }

    /** Where an index goes. */
    public long of(long index) {
        if (last == 0) return 0;
        do index = encrypt(index);
        while (Long.compareUnsigned(index, last) > 0);
        return index;
    }

    private long encrypt(long x) {
        long left = x >>> bits & mask, right = x & mask;
        for (int i = 0; i < keys.length; ) {
            left ^= mix(right) ^ keys[i++];
            right ^= mix(left) ^ keys[i++];
        }
        return left << bits | right;
    }

    private long mix(long x) {
        return left(x, 1) & left(x, 8) ^ left(x, 2);
    }

    private long left(long x, int n) {
        n %= bits;
        return (x << n | x >>> bits - n) & mask;
    }

    private long right(long x, int n) {
        return (x >>> n | x << bits - n) & mask;
    }
}
