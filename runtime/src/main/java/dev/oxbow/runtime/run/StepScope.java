package dev.oxbow.runtime.run;

import dev.oxbow.graph.Containers;
import dev.oxbow.runtime.StepContext;
import java.util.concurrent.Executor;

/**
 * Where the programs of one step, or of a call in it, run.
 *
 * @param containers resources that end with the step
 * @param executor runs regions that another thread made ready
 * @param depth the function that is run, and how many calls deep
 */
record StepScope(
        StepContext context, Containers containers, StepSession session, Executor executor, Calls.Depth depth) {

    /** That of a call. It meets its own sends: the keys of two calls of one function in a step are the same. */
    StepScope called(Calls.Depth deeper) {
        StepContext own = new StepContext(
                context.id(), context.key(), context.cancellation(), new LocalRendezvous(), context.tracer());
        return new StepScope(own, containers, session, executor, deeper);
    }
}
