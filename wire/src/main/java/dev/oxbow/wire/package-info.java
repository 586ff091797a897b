/**
 * TensorFlow's formats: messages, tensors, checkpoints, arrays of NumPy. Start with {@link dev.oxbow.wire.TensorCodec}
 * and {@link dev.oxbow.wire.CheckpointReader}. Every length is checked before memory is taken; what is unknown in a
 * message survives a round trip.
 */
package dev.oxbow.wire;
