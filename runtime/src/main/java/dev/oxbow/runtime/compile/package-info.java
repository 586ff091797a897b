/**
 * From a cut graph to the programs of devices. Start with {@link dev.oxbow.runtime.compile.Compiler}.
 *
 * <p>{@link dev.oxbow.runtime.compile.GlobalCompiler} knows devices by their specs only: inline, rewrites of a parallel
 * plan, place, partition. Its {@link dev.oxbow.runtime.compile.Part}s have a wire form. {@link
 * dev.oxbow.runtime.compile.LocalCompiler} takes one part through the stages that its device wants, fits it into that
 * device's budget and schedules it: {@code Waits} finds which nodes may share a region, {@code Scheduler} gives their
 * values slots. What comes out is immutable and shared by concurrent steps.
 */
package dev.oxbow.runtime.compile;
