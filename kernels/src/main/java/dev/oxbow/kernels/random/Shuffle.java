package dev.oxbow.kernels.random;

/** Random permutations, as RandomShuffle and StatelessShuffle draw them. */
public final class Shuffle {
    private Shuffle() {}

    /** The blocks that shuffling n rows takes from a stateful stream. */
    public static long blocks(long n) {
        return (Math.max(0, n - 1) + 3) / 4;
    }

    /** Row i of the result is row {@code permutation[i]} of the input: Fisher-Yates from the front. */
    public static int[] permutation(Philox stream, int n) {
        int[] p = new int[n];
        for (int i = 0; i < n; i++) p[i] = i;
        Samples samples = new Samples(stream.copy());
        for (int i = 0; i < n - 1; i++) {
            int j = i + Integer.remainderUnsigned(samples.next(), n - i), swap = p[i];
            p[i] = p[j];
            p[j] = swap;
        }
        return p;
    }
}
