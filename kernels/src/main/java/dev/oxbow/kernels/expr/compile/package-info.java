/**
 * Kernels of formulas: elementwise, by rows with folds, and of pairs of arrays. Start with
 * {@link dev.oxbow.kernels.expr.compile.ElementwiseKernel}. A kernel is interpreted until it is worth its while to generate
 * code, which takes over when the JIT compiler has made it fast; both give the same bits, and only generated code uses the
 * Vector API.
 */
package dev.oxbow.kernels.expr.compile;
