package dev.oxbow.collective;

/** 64-bit hashes that are the same in every process. */
final class Hash {
    private static final long SEED = 0x6F78_626F_7721_0005L;

    private Hash() {}

    /** Spreads every bit of a value over all 64 (the finaliser of SplitMix64). */
    static long mix(long x) {
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }

    static long of(long a, long b) {
        return mix(mix(a + SEED) + b);
    }

    static long of(long a, String s) {
        long h = a ^ SEED;
        for (int i = 0; i < s.length(); i++) h = (h ^ s.charAt(i)) * 0x100000001B3L;
        return of(h, s.length());
    }

    static long of(long a, int[] values) {
        long h = of(a, values.length);
        for (int v : values) h = of(h, v);
        return h;
    }

    static long of(long a, long[] values) {
        long h = of(a, values.length);
        for (long v : values) h = of(h, v);
        return h;
    }
}
