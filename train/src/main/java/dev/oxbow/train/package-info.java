/**
 * Models and their training. Start at {@link dev.oxbow.train.Trainer}: it adds loss, gradients and updates to the graph of
 * a {@link dev.oxbow.train.Model} and runs them; there is no other engine. What training changes has stable names
 * ({@code conv1/kernel}, {@code conv1/kernel/adam/m}).
 */
package dev.oxbow.train;
