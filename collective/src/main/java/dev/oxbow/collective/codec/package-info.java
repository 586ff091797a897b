/**
 * Ways to write f32 values in fewer bytes, and an exchange that does so on the way. Start with
 * {@link dev.oxbow.collective.codec.Codec}. What was decoded is encoded again without a further loss, so that all ranks end
 * with the same bits.
 */
package dev.oxbow.collective.codec;
