package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

    /** The last session that was open. */
    private Session session;

    /** What goes on since it was lost; null while it is not. */
    private Recovery recovery;

    private int recoveries;
    private boolean closed;

    /**
     * Opens and starts; later on a run, and opening again, is tried for {@code patience} from a loss on before it fails. Then
     * both are called by a thread of its own, so that whoever waits for it may give up by its deadline, token or interrupt.
     */
    public SupervisedSession(Supplier<Session> opener, Consumer<Session> start, Duration patience) {
        this.opener = opener;
        this.start = start;
        this.patience = patience;
        this.session = started(opener.get());
    }

    private Session started(Session s) {
        try {
            start.accept(s);
            return s;
        } catch (Throwable e) {
            s.close();
            throw e;
        }
    }

    private static boolean isLoss(OxbowException e) {
        return e.code() == UNAVAILABLE || e.code() == ABORTED;
    }

    /** One loss, and the attempts to have a session again. */
    private final class Recovery implements Runnable {
        final OxbowException why;
        final CompletableFuture<Session> again = new CompletableFuture<>();
        final long end = System.nanoTime() + patience.toNanos();
        final Thread thread =
                Thread.ofPlatform().daemon().name("oxbow-supervised").unstarted(this);
        private OxbowException last;

        /** A session is open and reads a checkpoint, say: what it does has ends of its own. */
        private volatile boolean starts;

        Recovery(OxbowException why) {
            this.why = why;
            this.last = why;
        }

        @Override
        public void run() {
            lost().close();
            while (!again.isDone()) {
                try {
                    Session s = opener.get();
                    starts = true;
                    arrived(this, started(s));
                } catch (OxbowException e) {
                    last = e;
                    // who is missing when the deadline of opening is over may come yet
                    if (!isLoss(e) && e.code() != DEADLINE_EXCEEDED) again.completeExceptionally(e);
                    else if (System.nanoTime() - end > 0) giveUp();
                    else LockSupport.parkNanos(PAUSE);
                } catch (Throwable e) {
                    again.completeExceptionally(new OxbowException(INTERNAL, "Session: opening it failed: " + e, e));
                }
                starts = false;
            }
        }

        /** Ends it, unless a session is there that is about to start. */
        void giveUp() {
            if (starts) return;
            end(new OxbowException(
                    UNAVAILABLE,
                    "Session: it could not be opened again within %s: %s".formatted(patience, last.getMessage()),
                    why));
        }

        void end(OxbowException e) {
            if (again.completeExceptionally(e)) thread.interrupt();
        }
    }

    private synchronized Session lost() {
        return session;
    }

    private void arrived(Recovery r, Session s) {
        synchronized (this) {
            if (!r.again.isDone()) {
                session = s;
                recovery = null;
                recoveries++;
                r.again.complete(s);
                return;
            }
        }
        s.close(); // nobody waits for it any more
    }

    /** How often it was opened again. */
    public synchronized int recoveries() {
        return recoveries;
    }

    private void requireOpen() {
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
    }

    /** The session as it is now, or as it will be; what has failed to open it is tried once more. */
    private synchronized CompletableFuture<Session> now() {
        requireOpen();
        if (recovery == null) return CompletableFuture.completedFuture(session);
        return recovery.again.isCompletedExceptionally() ? recovered(session, recovery.why) : recovery.again;
    }

    /** What comes of a loss, for whoever met it: an attempt that has failed at once is not tried again behind its back. */
    private synchronized CompletableFuture<Session> recovered(Session from, OxbowException why) {
        if (from != session) return now(); // another thread has seen to it
        requireOpen();
        if (recovery == null || recovery.again.isCompletedExceptionally()) {
            recovery = new Recovery(why);
            recovery.thread.start();
        }
        return recovery.again;
    }

    private synchronized Recovery recovery() {
        return recovery;
    }

    private Session current() {
        return await(now(), RunOptions.none(), System.nanoTime());
    }

    /** Waits for a session as long as a run may take and the patience lasts. */
    private Session await(CompletableFuture<Session> next, RunOptions run, long begun) {
        CompletableFuture<Session> mine = next.copy();
        Cancellation token = run.cancellation();
        long link = token == null ? -1 : token.register(mine::completeExceptionally);
        if (token != null && link < 0) throw token.reason().rethrown();
        try {
            while (true) {
                Recovery r = recovery();
                long now = System.nanoTime(), left = left(run, begun), patient = r == null ? left : r.end - now;
                try {
                    return mine.get(Math.max(1, Math.min(left, patient > 0 ? patient : PAUSE)), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    if (left(run, begun) <= 0) throw late(run, r);
                    if (r != null && r.end - System.nanoTime() <= 0) r.giveUp();
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof OxbowException o ? o.rethrown() : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "Session: the calling thread was interrupted", e);
        } finally {
            if (link >= 0) token.unregister(link);
        }
    }

    private static long left(RunOptions run, long begun) {
        return run.timeout() == null ? Long.MAX_VALUE : run.timeout().toNanos() - (System.nanoTime() - begun);
    }

    private static OxbowException late(RunOptions run, Recovery r) {
        return new OxbowException(
                DEADLINE_EXCEEDED,
                "Session: it was not open again within the %d ms of the run"
                        .formatted(run.timeout().toMillis()),
                r == null ? null : r.why);
    }

    @Override
    public Graph graph() {
        return lost().graph();
    }

    @Override
    public Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions run) {
        long begun = System.nanoTime(), lost = 0;
        CompletableFuture<Session> next = now();
        while (true) {
            Session s = await(next, run, begun);
            try {
                return s.run(feeds, values, fetches, targets, lost == 0 ? run : rest(run, begun));
            } catch (OxbowException e) {
                if (lost == 0) lost = System.nanoTime();
                if (!isLoss(e) || System.nanoTime() - lost > patience.toNanos()) throw e;
                next = recovered(s, e);
            }
        }
    }

    /** The same run with the time that is left. */
    private static RunOptions rest(RunOptions run, long begun) {
        if (run.timeout() == null) return run;
        Duration left = Duration.ofNanos(Math.max(1, left(run, begun)));
        return new RunOptions(left, run.cancellation(), run.key(), run.tracer());
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
    public void close() {
        Recovery r;
        synchronized (this) {
            if (closed) return;
            closed = true;
            r = recovery;
        }
        if (r != null) r.end(new OxbowException(CANCELLED, "Session: it was closed"));
        lost().close();
    }
}
