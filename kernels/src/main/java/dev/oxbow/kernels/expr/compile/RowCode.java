package dev.oxbow.kernels.expr.compile;

/** Generated code: runs a row program over native elements. */
interface RowCode {
    /**
     * Runs {@code rows} rows of {@code columns} columns. Addresses and steps are those of all tensor inputs, then of
     * kept rows, then of outputs; accumulators have room for a multiple of {@link Fold#LANES}.
     */
    void run(long[] addresses, long[] steps, long rows, long columns);
}
