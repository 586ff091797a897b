package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Transport;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One rank's side of a network between the processes of one host, through memory that they share. */
public final class Network implements Transport {
    static final Logger LOG = LoggerFactory.getLogger(Network.class);

    private static final int MOST_RANKS = 1 << 12;
    /** Steps between two looks at the clock. */
    private static final int POLLS = 1 << 10;
    /** How long a thread that must not take time from others looks again and again. */
    private static final long SHORT_YIELD = 100_000;
    /** Processes to look for at a time. */
    private static final int WATCHED = 8;

    private final Region[] regions;
    private final Region own;
    private final Pipe[] pipes;
    private final List<Pipe> peers = new ArrayList<>();
    private final Arena scratch = Arena.ofShared();
    private final long time = scratch.allocate(16, 8).address();
    private final long spin;
    private final long yield;
    private final long watch;
    private long watchedAt = System.nanoTime();
    private int nextWatched;
    private int polls;
    private boolean warned;
    private int holds;
    private volatile boolean woken;
    private volatile boolean closed;

    private Network(Region[] regions, int rank, IntUnaryOperator names, ShmConfig config) {
        this.regions = regions;
        own = regions[rank];
        pipes = new Pipe[regions.length];
        for (int peer = 0; peer < pipes.length; peer++) {
            if (peer == rank) continue;
            pipes[peer] = new Pipe(own, regions[peer], names.applyAsInt(peer));
            peers.add(pipes[peer]);
        }
        boolean coreForEach = regions.length <= Runtime.getRuntime().availableProcessors();
        spin = coreForEach ? config.spin().toNanos() : 0;
        yield = config.yield().toNanos();
        watch = config.watch().toNanos();
    }

    /**
     * Waits until all ranks of the job on this host have joined; {@code job} tells jobs apart, so no two may share it.
     * Where one of them finds too little memory, all fail with RESOURCE_EXHAUSTED.
     */
    public static Network join(String job, int rank, int size, ShmConfig config, Duration deadline) {
        return join(job, rank, size, IntUnaryOperator.identity(), config, deadline);
    }

    /** Removes what processes of a job have left that were ended while they joined; none may run any more. */
    public static void clear(String job, Collection<Long> pids, ShmConfig config) {
        Formation.clear(config.directory(), job, pids);
    }

    /** The same for some ranks of a larger job: {@code names} gives the rank by which messages name each. */
    public static Network join(
            String job, int rank, int size, IntUnaryOperator names, ShmConfig config, Duration deadline) {
        require(
                job.matches("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"),
                INVALID_ARGUMENT,
                "shm: a job is named by up to 100 letters, digits, '.', '-' and '_', got '%s'",
                job);
        require(
                size > 0 && size <= MOST_RANKS && rank >= 0 && rank < size,
                INVALID_ARGUMENT,
                "shm: needs 1 to %d ranks, got rank %d of %d",
                MOST_RANKS,
                rank,
                size);
        return new Network(new Formation(job, rank, size, config).form(config, deadline), rank, names, config);
    }

    @Override
    public int rank() {
        return own.rank();
    }

    @Override
    public int size() {
        return pipes.length;
    }

    @Override
    public Pipe link(int peer) {
        require(
                peer >= 0 && peer < pipes.length && peer != rank(),
                INVALID_ARGUMENT,
                "shm: rank %d of %d has no link to rank %d",
                rank(),
                pipes.length,
                peer);
        return pipes[peer];
    }

    @Override
    public void poll() {
        if (++polls % POLLS == 0) watch();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void await(long nanos) {
        waitFor(nanos);
    }

    @Override
    public void rest(long nanos) {
        waitFor(nanos, Math.min(yield, SHORT_YIELD));
    }

    /** Waits as {@link #await} does; whether it ended before {@code nanos} had passed. */
    boolean waitFor(long nanos) {
        return waitFor(nanos, yield);
    }

    private boolean waitFor(long nanos, long yield) {
        if (roused()) return true;
        long start = System.nanoTime();
        for (long passed = 0; passed < nanos; passed = System.nanoTime() - start) {
            if (passed < spin) {
                Thread.onSpinWait();
            } else if (passed < spin + yield) {
                Thread.yield();
            } else {
                watch();
                if (sleep(Math.min(nanos - passed, watch))
                        || Thread.currentThread().isInterrupted()) return true;
            }
            if (roused()) return true;
        }
        return false;
    }

    /** Sleeps unless there is something to do; whether there was. */
    private boolean sleep(long nanos) {
        own.announceSleep(false);
        boolean roused = roused();
        if (!roused) own.sleep(nanos, time);
        own.endSleep();
        return roused;
    }

    /** Sets how to wake a peer, by its rank, that waits for something else as well as for this network. */
    void setBell(IntConsumer bell) {
        for (Pipe pipe : peers) pipe.setBell(bell);
    }

    /** Tells peers to use their bell until {@link #endWait}; whether there is something to do already. */
    boolean beginWait() {
        watch();
        own.announceSleep(true);
        return roused();
    }

    void endWait() {
        own.endSleep();
    }

    private boolean roused() {
        if (woken) {
            woken = false;
            return true;
        }
        for (int i = 0; i < peers.size(); i++) if (peers.get(i).stirred()) return true;
        return false;
    }

    private void watch() {
        long now = System.nanoTime();
        if (now - watchedAt < watch) return;
        watchedAt = now;
        for (int i = 0; i < Math.min(WATCHED, peers.size()); i++)
            peers.get(nextWatched++ % peers.size()).watch();
        nextWatched %= Math.max(1, peers.size());
    }

    @Override
    public synchronized void wakeUp() {
        woken = true;
        if (!closed) own.wake(); // one that waits elsewhere is woken there
    }

    @Override
    public boolean shares(int peer) {
        return peer != rank();
    }

    @Override
    public long allocateShared(long bytes) {
        require(bytes >= 0 && !closed, INVALID_ARGUMENT, "shm: can not share %d bytes of rank %d", bytes, rank());
        String why = "its arena is used up";
        try {
            long address = own.allocate(bytes);
            if (address != 0) return address;
        } catch (IOException e) {
            why = e.toString();
        }
        if (!warned) LOG.warn("shm: rank {} goes on without sharing {} bytes: {}", rank(), bytes, why);
        warned = true;
        return 0;
    }

    @Override
    public synchronized Runnable holdShared() {
        require(!closed, INVALID_ARGUMENT, "shm: rank %d has closed its network", rank());
        holds++;
        return this::letGo;
    }

    private synchronized void letGo() {
        if (--holds == 0 && closed) own.close();
    }

    /** Shared memory goes with it, unless somebody holds it; peers see theirs until they close. */
    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        for (Pipe pipe : peers) pipe.close();
        for (Region region : regions) if (region != own || holds == 0) region.close();
        scratch.close();
    }
}
