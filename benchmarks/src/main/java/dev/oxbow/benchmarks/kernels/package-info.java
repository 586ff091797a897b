/**
 * Single ops under JMH. Start with {@link dev.oxbow.benchmarks.kernels.OneOp}: each benchmark is a graph of one op on
 * fed tensors, a run call included.
 */
package dev.oxbow.benchmarks.kernels;
