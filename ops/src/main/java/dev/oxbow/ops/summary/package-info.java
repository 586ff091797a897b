/**
 * Ops that describe values for TensorBoard, as messages ({@link dev.oxbow.ops.summary.ScalarSummary}) or straight into an event
 * file ({@link dev.oxbow.ops.summary.WriteScalarSummary}). Messages and files are those of {@code dev.oxbow.wire.event}.
 */
package dev.oxbow.ops.summary;
