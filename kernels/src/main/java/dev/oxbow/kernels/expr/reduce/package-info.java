/**
 * Reductions of formulas over axes, scans, and arguments of extremes. Start with
 * {@link dev.oxbow.kernels.expr.reduce.Reduction}. Sums have a fixed order that depends on shapes alone, never on threads.
 */
package dev.oxbow.kernels.expr.reduce;
