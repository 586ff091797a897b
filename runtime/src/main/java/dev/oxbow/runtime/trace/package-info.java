/**
 * Seeing what steps do: give a run a {@link dev.oxbow.runtime.trace.StepTrace} and write it as a file that Perfetto opens.
 * Java's flight recorder gets the same as events, {@code dev.oxbow.Step}, {@code dev.oxbow.Kernel} and {@code
 * dev.oxbow.Transfer}; the latter two are off until a recording asks for them.
 *
 * {@snippet :
 * static void see(Session session, Node train) throws IOException {
 *     StepTrace trace = new StepTrace();
 *     session.target(train).options(RunOptions.none().withTracer(trace)).run();
 *     trace.write(Path.of("step.json"));
 * }
 * }
 */
package dev.oxbow.runtime.trace;
