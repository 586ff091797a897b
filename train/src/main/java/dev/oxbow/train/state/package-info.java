/**
 * What a run leaves on disk: {@link dev.oxbow.train.state.Checkpoints} of the values of its state, by name, and its place.
 * A checkpoint is there whole or not at all.
 *
 * {@snippet :
 * Checkpoints checkpoints = new Checkpoints(Path.of("checkpoints"), 3); // the last three stay
 * try (Checkpoint first = new Checkpoint(Position.START, Map.of("w", Tensor.scalar(1f)), Map.of("plan", "local"))) {
 *     checkpoints.save(first, Share.whole());
 * }
 * checkpoints.latest().ifPresent(c -> IO.println(c.position().step() + " " + c.values().keySet()));
 * }
 */
package dev.oxbow.train.state;
