/**
 * Calls of many steps that are computed together. {@code BatchLine} makes batches of them, {@code Meeting} is where those
 * who got a batch give the others their rows. No thread waits: what is not met in time ends by a clock.
 */
package dev.oxbow.ops.batching;
