/**
 * Elementwise ops, reductions, scans, segments, counts. Start with {@link dev.oxbow.ops.math.Softsign}, an elementwise
 * op, and {@code AxisReduction}. An elementwise op is one formula, from which come its kernels and every fused kernel
 * it takes part in.
 */
package dev.oxbow.ops.math;
