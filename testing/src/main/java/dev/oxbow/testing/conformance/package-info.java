/**
 * Recorded answers of TensorFlow, and any engine compared with them. Start with {@link
 * dev.oxbow.testing.conformance.Conformance}. A case is a graph, runs of one session and what came out; it knows
 * nothing of Oxbow but {@link dev.oxbow.testing.conformance.Engine}.
 */
package dev.oxbow.testing.conformance;
