package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;

/** What one task knows of one step. */
final class Step {
    final long id;
    final StepRendezvous rendezvous;
    final Cancellation cancellation = new Cancellation();

    /** When somebody last asked for it, as {@link System#nanoTime} has it. */
    volatile long touched;

    private Object session;
    private boolean running;
    private PartialStep partial;

    Step(long id, StepRendezvous rendezvous, long now) {
        this.id = id;
        this.rendezvous = rendezvous;
        this.touched = now;
    }

    /** Says that the part of this task begins; once. */
    synchronized void begin(Object of) {
        require(session == null, ABORTED, "RunGraph: step %d runs here already, or has run", id);
        session = of;
        running = true;
    }

    /** The partial run that this step is, for one more request of it. */
    synchronized PartialStep partial(Object of) {
        if (partial == null) {
            begin(of);
            partial = new PartialStep();
        }
        require(session == of, ABORTED, "RunGraph: step %d is one of another session", id);
        return partial;
    }

    /** Says that the part of this task has ended. */
    synchronized void done() {
        running = false;
    }

    synchronized boolean isRunning() {
        return running;
    }

    synchronized boolean isOf(Object who) {
        return session == who;
    }

    void end(OxbowException why) {
        cancellation.cancel(why);
        rendezvous.close(why);
    }
}
