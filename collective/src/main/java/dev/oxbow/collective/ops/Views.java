package dev.oxbow.collective.ops;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Options;
import dev.oxbow.collective.Pending;
import dev.oxbow.collective.PendingViews;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;

/** What a step sees of all ranks, between two of its ops. A step that fails meanwhile ends it on every rank. */
final class Views {
    private final List<Runnable> last = new ArrayList<>(1);
    private PendingViews pending;
    private Cancellation cancellation;
    private long registration;

    /** Does this when no rank sees anything any more. */
    void atEnd(Runnable work) {
        last.add(work);
    }

    Pending begin(Group g, Elements x, Options o) {
        try {
            pending = g.view(x, o);
        } catch (RuntimeException e) {
            free();
            throw e;
        }
        pending.whole().whenDone(_ -> free());
        return pending;
    }

    private void free() {
        last.forEach(Runnable::run);
    }

    /** Where the elements of a rank lie. */
    long address(int rank) {
        return pending.address(rank);
    }

    /** Ends it, and does {@code then}, when the step fails before {@link #end}. */
    void watch(Cancellation step, Runnable then) {
        cancellation = step;
        registration = step.register(why -> fail(why, then));
        if (registration < 0) fail(step.reason(), then);
    }

    private void fail(OxbowException why, Runnable then) {
        then.run();
        pending.whole().cancel(why.getMessage());
    }

    /** Ends when no rank sees anything any more; who waits for it ends it with the step from now on. */
    Pending end() {
        if (registration >= 0) cancellation.unregister(registration);
        return pending.giveBack();
    }
}
