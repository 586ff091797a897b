/**
 * How workers and parameter servers meet: {@link dev.oxbow.parallel.ops.GradientPush} brings gradients to a {@link
 * dev.oxbow.parallel.ops.Gate} on a server, where it is held until {@link dev.oxbow.parallel.ops.CommitPush} says that
 * other servers have theirs, {@link dev.oxbow.parallel.ops.VersionWait} waits for what comes of them, and
 * {@link dev.oxbow.parallel.ops.Assemble} is where workers meet in the middle of a step.
 */
package dev.oxbow.parallel.ops;
