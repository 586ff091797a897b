/**
 * Graphs as TensorFlow's messages, both ways. Modules of Oxbow see this package, users do not: for them it is {@code
 * graph.file}. Functions stay messages until they are called, and attributes that no op knows travel unchanged.
 */
package dev.oxbow.graph.wire;
