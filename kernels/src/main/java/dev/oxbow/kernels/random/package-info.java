/**
 * Random numbers, number for number those of TensorFlow's CPU kernels. Start with {@link
 * dev.oxbow.kernels.random.Philox} and {@link dev.oxbow.kernels.random.Distributions}. A stream is cut by blocks, so
 * threads draw what one thread would.
 */
package dev.oxbow.kernels.random;
