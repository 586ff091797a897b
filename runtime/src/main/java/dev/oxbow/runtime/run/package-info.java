/**
 * Steps under way. Start with {@code Program.start}, {@code DeviceStep} and {@code RegionRun}. A process that runs parts
 * which others sent has a {@link dev.oxbow.runtime.run.SessionState} for each session, whose programs it starts itself.
 *
 * <p>A region runs until its end or until a value of another region is missing; then it parks, and the thread takes the
 * next that is ready. Values carry a dead mark where a branch was not taken. A kernel may complete later, from another
 * thread; the region goes on from there. Calls and their returns go through a list ({@code Ready}), not the stack. What
 * a program keeps from step to step is its {@code FrameMemory}: states of iterations, and plans.
 *
 * <p>A deadline, an interrupt, a token and the close of a session cancel a run: its waits end, and its regions stop
 * before the next instruction that does something. One that only hands values on still runs, so a step that had nothing
 * else left ends well, and what it took from a queue is its answer. A step that has more to compute ends, and what it
 * had taken before is gone, as in TensorFlow.
 */
package dev.oxbow.runtime.run;
