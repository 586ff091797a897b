/**
 * Fourier transforms and what is made of them. Start with {@code Transforms}: each op says which axes, which way and
 * whether real; the arithmetic is {@code dev.oxbow.kernels.numeric.Fourier}, in f64.
 */
package dev.oxbow.ops.signal;
