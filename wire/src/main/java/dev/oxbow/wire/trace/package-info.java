/**
 * What steps did: TensorFlow's step stats as spans, written as a file for Perfetto and read back, and who waited for whom in
 * them.
 */
package dev.oxbow.wire.trace;
