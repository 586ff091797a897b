package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A session that outlives the tasks it runs on. When a run fails since a task is gone, gives no sign of life or was restarted
 * (UNAVAILABLE, ABORTED), it opens the session again, has it start, which is where the last checkpoint is read, and runs
 * again. So what a loop counts belongs into the graph: after a loss the state is that of the checkpoint.
 *
 * {@snippet :
 * static Session supervised(Graph graph, Node restore) {
 *     return new SupervisedSession(
 *             () -> Session.open("grpc://10.0.0.7:2222", graph, SessionOptions.defaults()),
 *             session -> session.target(restore).run().close(),
 *             Duration.ofMinutes(10));
 * }
 * }
 */
public final class SupervisedSession implements Session {
    private static final long PAUSE = 200_000_000;

    private final Supplier<Session> opener;
    private final Consumer<Session> start;
    private final Duration patience;
    private Session session;
    private int life;
    private boolean closed;

    /** Opens and starts; later on a run, and opening again, is tried for {@code patience} from a loss on before it fails. */
    public SupervisedSession(Supplier<Session> opener, Consumer<Session> start, Duration patience) {
        this.opener = opener;
        this.start = start;
        this.patience = patience;
        this.session = started();
    }

    private Session started() {
        Session s = opener.get();
        try {
            start.accept(s);
            return s;
        } catch (RuntimeException e) {
            s.close();
            throw e;
        }
    }

    private static boolean isLoss(OxbowException e) {
        return e.code() == UNAVAILABLE || e.code() == ABORTED;
    }

    /** How often it was opened again. */
    public synchronized int recoveries() {
        return life;
    }

    private synchronized Session current() {
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
        return session;
    }

    @Override
    public Graph graph() {
        return current().graph();
    }

    @Override
    public Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions run) {
        long lost = 0;
        for (int tries = 0; ; tries++) {
            Session s;
            int then;
            synchronized (this) {
                s = current();
                then = life;
            }
            try {
                return s.run(feeds, values, fetches, targets, run);
            } catch (OxbowException e) {
                if (tries == 0) lost = System.nanoTime();
                if (!isLoss(e) || System.nanoTime() - lost > patience.toNanos()) throw e;
                recover(then, e);
            }
        }
    }

    /** Opens again, unless another thread has since; those who come meanwhile wait here. */
    private synchronized void recover(int seen, OxbowException why) {
        if (life != seen) return;
        current();
        session.close();
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                session = started();
                life++;
                return;
            } catch (OxbowException e) {
                if (!isLoss(e)) throw e;
                if (System.nanoTime() - end > 0)
                    throw new OxbowException(
                            UNAVAILABLE,
                            "Session: it could not be opened again within %s: %s".formatted(patience, e.getMessage()),
                            why);
                LockSupport.parkNanos(PAUSE);
            }
        }
    }

    /** Of the session as it is now; it ends with a loss. */
    @Override
    public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
        return current().partialRun(feeds, fetches, targets);
    }

    @Override
    public String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose) {
        return current().explain(feeds, fetches, targets, verbose);
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        session.close();
    }
}
