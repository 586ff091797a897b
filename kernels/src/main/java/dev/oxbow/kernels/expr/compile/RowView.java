package dev.oxbow.kernels.expr.compile;

/**
 * The memory of one run of a row kernel: for each tensor input, then for each output, the address of the first row and
 * the bytes from one row to the next, 0 for what is the same for all rows.
 */
public record RowView(long[] addresses, long[] steps, long columns) {}
