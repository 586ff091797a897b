/**
 * What a run leaves on disk: {@link dev.oxbow.train.state.Checkpoints} of the values of its state, by name, and its place.
 * A checkpoint is there whole or not at all.
 */
package dev.oxbow.train.state;
