package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.Store;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeSet;

/** Finds the addresses of ranks on a thread of its own, since a store and a name server may keep it waiting. */
final class Lookup implements AutoCloseable {
    /** Where a rank listens, as far as it could be resolved. */
    record Found(int rank, HostPort named, InetSocketAddress address) {}

    private static final long PAUSE_MILLIS = 10;
    private static final long PAUSE_MILLIS_PER_RANK = 5;

    private final Store store;
    private final String job;
    private final Runnable wakeUp;
    private final TreeSet<Integer> wanted = new TreeSet<>();
    private final Queue<Found> found = new ArrayDeque<>();
    private OxbowException failure;
    private boolean closed;

    Lookup(Store store, String job, Runnable wakeUp) {
        this.store = store;
        this.job = job;
        this.wakeUp = wakeUp;
    }

    static String key(String job, int rank) {
        return "tcp/" + job + "/" + rank;
    }

    void start(int rank) {
        Thread.ofVirtual().name("oxbow-lookup-" + rank).start(this::run);
    }

    /** Asks for the address of a rank, again if it was found before. */
    synchronized void want(int rank) {
        wanted.add(rank);
        notifyAll();
    }

    /** The next address that was found, or null. */
    synchronized Found poll() {
        if (failure != null) throw failure;
        return found.poll();
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    private void run() {
        try {
            for (List<Integer> ranks = next(); !ranks.isEmpty(); ranks = next()) {
                boolean any = false;
                for (int rank : ranks) any |= look(rank);
                if (!any) pause(ranks);
            }
        } catch (OxbowException e) {
            fail(e);
        } catch (RuntimeException e) {
            fail(new OxbowException(ErrorCode.INTERNAL, "tcp: looking up addresses failed: " + e, e));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized List<Integer> next() throws InterruptedException {
        while (!closed && wanted.isEmpty()) wait();
        return closed ? List.of() : new ArrayList<>(wanted);
    }

    private boolean look(int rank) {
        Optional<byte[]> value = store.find(key(job, rank));
        if (value.isEmpty()) return false;
        HostPort named;
        try {
            named = HostPort.parse(new String(value.get(), StandardCharsets.UTF_8));
        } catch (OxbowException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "tcp: the store has a bad address of rank %d: %s".formatted(rank, e.getMessage()),
                    e);
        }
        var address = new InetSocketAddress(named.host(), named.port());
        synchronized (this) {
            wanted.remove(rank);
            found.add(new Found(rank, named, address));
        }
        wakeUp.run();
        return true;
    }

    /** Waits for the first of the ranks, longer for more of them, so that all together ask at a bounded rate. */
    private void pause(List<Integer> ranks) {
        long millis = PAUSE_MILLIS + PAUSE_MILLIS_PER_RANK * ranks.size();
        try {
            store.get(key(job, ranks.getFirst()), Duration.ofMillis(millis));
        } catch (OxbowException e) {
            if (e.code() != ErrorCode.DEADLINE_EXCEEDED) throw e;
        }
    }

    private synchronized void fail(OxbowException e) {
        if (!closed) failure = e;
        wakeUp.run();
    }
}
