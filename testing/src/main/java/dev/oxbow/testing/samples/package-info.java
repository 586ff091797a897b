/**
 * Samples of every op, as data: inputs, attributes, how to check the gradient. Start with {@link
 * dev.oxbow.testing.samples.SampleFamily} and {@link dev.oxbow.testing.samples.MathSamples}. An op without a sample
 * fails the build.
 */
package dev.oxbow.testing.samples;
