package dev.oxbow.cluster.link;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.OxbowException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to the values of another task: a link, dialled when the first is wanted and again when it was lost, or calls
 * where the task has no links, as TensorFlow's have none.
 */
public final class Way {

    /** Where the present life of a task has its links. */
    public record Place(InetSocketAddress address, long incarnation) {}

    /** Asks a task where its links are: a place, or null where it has none, or why that is not known. */
    @FunctionalInterface
    public interface Finder {
        void find(BiConsumer<Place, OxbowException> then);
    }

    /** Brings a value in another way. */
    @FunctionalInterface
    public interface Calls {
        void receive(long step, String key, Cancellation cancellation, Rendezvous.Receiver then);
    }

    private enum State {
        UNKNOWN,
        DIALLING,
        LINKED,
        NONE
    }

    private static final Logger LOG = LoggerFactory.getLogger(Way.class);

    /** A task that had no links, or could not be reached, is asked again after so long. */
    private static final long PAUSE = Duration.ofSeconds(10).toNanos();

    private final Links links;
    private final String task;
    private final Finder finder;
    private final Calls calls;
    private final ArrayDeque<Wanted> waiting = new ArrayDeque<>();
    private volatile State state = State.UNKNOWN;
    private volatile long askAgain;
    private Asking asking;

    Way(Links links, String task, Finder finder, Calls calls) {
        this.links = links;
        this.task = task;
        this.finder = finder;
        this.calls = calls;
    }

    /** Brings a value, until it comes or the token, which may be null, is cancelled. */
    public void receive(long step, String key, Cancellation cancellation, Rendezvous.Receiver then) {
        if (state == State.NONE && System.nanoTime() - askAgain < 0) {
            calls.receive(step, key, cancellation, then);
            return;
        }
        Wanted w = new Wanted(step, key, cancellation, then);
        links.execute(() -> want(w));
    }

    /** Asks for it; only from here on can it be given up, so that nobody gives up what is asked for later. */
    private void want(Wanted w) {
        if (!w.register(() -> links.execute(() -> giveUp(w)))) return;
        if (links.isClosed()) w.end(null, links.closing());
        else if (state == State.LINKED) asking.want(w);
        else {
            waiting.add(w);
            if (state == State.DIALLING) return;
            state = State.DIALLING;
            finder.find((place, error) -> links.execute(() -> found(place, error)));
        }
    }

    private void found(Place place, OxbowException error) {
        if (place == null) none(error);
        else
            links.dial(place, task, (link, why) -> {
                if (link == null) {
                    none(why);
                    return;
                }
                asking = links.asking(link, task, _ -> state = State.UNKNOWN);
                state = State.LINKED;
                hand(asking::want);
            });
    }

    private void none(OxbowException why) {
        if (why != null) LOG.warn("values of {} come by calls: {}", task, why.getMessage());
        askAgain = System.nanoTime() + PAUSE;
        state = State.NONE;
        if (links.isClosed()) hand(w -> w.end(null, links.closing()));
        else hand(w -> w.hand(calls));
    }

    private void hand(Consumer<Wanted> to) {
        for (Wanted w = waiting.poll(); w != null; w = waiting.poll()) to.accept(w);
    }

    private void giveUp(Wanted w) {
        if (w.isEnded()) return;
        OxbowException why = w.cancellation.reason();
        if (waiting.remove(w)) w.end(null, why);
        else if (asking != null) asking.giveUp(w, why);
    }

    void close(OxbowException why) {
        hand(w -> w.end(null, why));
    }
}
