/**
 * How parameters follow their gradients. A {@link dev.oxbow.train.optimizer.Rule} is the formula for one parameter, one in
 * a file; {@link dev.oxbow.train.optimizer.Optimizer} adds what concerns all of them: the schedule, clipping, what is frozen.
 */
package dev.oxbow.train.optimizer;
