package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A partial run of a local session. */
final class LocalPartialRun implements PartialRun {
    private final List<Edge> feeds;
    private final List<Edge> fetches;
    private final Set<Edge> fed = new HashSet<>();
    private final Set<Edge> fetched = new HashSet<>();
    private final Cancellation cancellation = new Cancellation();
    private final LocalRendezvous rendezvous = new LocalRendezvous();
    private final List<CompletableFuture<Tensor>> arrivals = new ArrayList<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Duration timeout;

    LocalPartialRun(
            Program program, SessionState session, List<Edge> feeds, List<Edge> fetches, Runs runs, Duration timeout) {
        this.feeds = feeds;
        this.fetches = fetches;
        this.timeout = timeout;
        runs.begin(cancellation);
        cancellation.register(this::endFeeds);
        for (int i = 0; i < fetches.size(); i++) arrivals.add(arrival(i));
        var context = new StepContext(StepContext.nextId(), null, cancellation, rendezvous, null);
        Runnable start = () -> program.start(context, new Tensor[0], session, session.executor(), (results, error) -> {
            program.close();
            if (error == null) ended.complete(null);
            else ended.completeExceptionally(error);
            runs.end(cancellation);
        });
        session.executor().execute(start);
    }

    /** What was not fed will not come. */
    private void endFeeds(OxbowException reason) {
        for (int i = 0; i < feeds.size(); i++) rendezvous.refuse(key(i), reason);
    }

    private String key(int feed) {
        return Cut.received(feed, feeds.get(feed).type().dtype()).key(0, 0);
    }

    @Override
    public synchronized List<Tensor> run(Map<String, Tensor> values, List<String> names, Duration timeout) {
        List<Edge> wanted = new ArrayList<>();
        Set<Edge> coming = new HashSet<>(fed);
        for (var v : values.entrySet()) {
            Edge e = find(feeds, v.getKey(), "fed");
            require(coming.add(e), INVALID_ARGUMENT, "partial run: %s was fed already", e);
            require(
                    v.getValue().dtype() == e.type().dtype()
                            && v.getValue().shape().isCompatibleWith(e.type().shape()),
                    INVALID_ARGUMENT,
                    "feed %s: wants %s, got %s",
                    e,
                    e.type(),
                    v.getValue().describe());
        }
        for (String n : names) {
            Edge e = find(fetches, n, "fetched");
            require(!fetched.contains(e), INVALID_ARGUMENT, "partial run: %s was fetched already", e);
            for (Edge f : Cut.feedsBehind(e, feeds))
                require(
                        coming.contains(f),
                        INVALID_ARGUMENT,
                        "partial run: computing %s needs %s, which was not fed",
                        e,
                        f);
            wanted.add(e);
        }
        for (var v : values.entrySet()) {
            Edge e = find(feeds, v.getKey(), "fed");
            fed.add(e);
            rendezvous.send(
                    key(feeds.indexOf(e)), v.getValue().view(v.getValue().shape()));
        }
        Duration limit = timeout != null ? timeout : this.timeout;
        List<Tensor> results = new ArrayList<>();
        try {
            for (Edge e : wanted) {
                fetched.add(e);
                Tensor t = await(arrivals.get(fetches.indexOf(e)), limit, e);
                results.add(t.onHost(x -> x.reshaped(x.shape())));
                t.release();
            }
            if (fed.size() == feeds.size() && fetched.size() == fetches.size()) await(ended, limit, null);
        } catch (Throwable e) {
            results.forEach(Tensor::close);
            throw e;
        }
        return new Results(results);
    }

    /** A fetch is received as soon as it is made, since the step may end before it is asked for. */
    private CompletableFuture<Tensor> arrival(int i) {
        CompletableFuture<Tensor> arrived = new CompletableFuture<>();
        rendezvous.receive(Cut.sent(i).key(0, 0), (t, error) -> {
            if (error != null) arrived.completeExceptionally(error);
            else if (t != null) arrived.complete(t);
            else
                arrived.completeExceptionally(new OxbowException(
                        INVALID_ARGUMENT, "%s is in a branch that was not taken".formatted(fetches.get(i))));
        });
        return arrived;
    }

    private static Edge find(List<Edge> among, String name, String how) {
        for (Edge e : among)
            if (e.name().equals(name) || e.port() == 0 && e.node().name().equals(name)) return e;
        throw new OxbowException(
                INVALID_ARGUMENT, "partial run: %s was not among the values to be %s".formatted(name, how));
    }

    /** Waits for what comes, or for the end that a cancelled step comes to: it may have had only this left to give. */
    private <T> T await(CompletableFuture<T> future, Duration limit, Edge what) {
        boolean interrupted = false;
        long left = limit == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(limit);
        try {
            while (true) {
                try {
                    return future.get(left, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    cancellation.cancel(
                            DEADLINE_EXCEEDED,
                            "partial run: %s did not come within %d ms"
                                    .formatted(what == null ? "its end" : what, limit.toMillis()));
                } catch (InterruptedException e) {
                    interrupted = true;
                    cancellation.cancel(CANCELLED, "partial run: the calling thread was interrupted");
                }
                left = Long.MAX_VALUE;
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OxbowException o) throw o.rethrown();
            throw new OxbowException(INTERNAL, String.valueOf(e.getCause()), e.getCause());
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        cancellation.cancel(CANCELLED, "partial run: it was closed");
        for (int i = 0; i < arrivals.size(); i++) {
            if (!fetched.contains(fetches.get(i))) arrivals.get(i).thenAccept(Tensor::release);
        }
    }
}
