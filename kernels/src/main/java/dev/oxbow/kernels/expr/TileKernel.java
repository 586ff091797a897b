package dev.oxbow.kernels.expr;

/** Generated code: computes dense runs of elements. */
interface TileKernel {
    /** Runs over {@code n} elements, a multiple of the lanes, at the addresses of all loads, then of all stores. */
    void run(long[] addresses, long n);
}
