package dev.oxbow.net.sim;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Transport;
import java.util.ArrayDeque;

/** One rank's side of a {@link Simulation}; {@link #await} returns at once and asks to be stepped later. */
public final class Network implements Transport {
    private static final long SHORTEST_WAIT = 1_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final Simulation simulation;
    private final int rank;
    private Pipe[] pipes;
    private Stream[] streams;
    private Wire[] wires;
    private final ArrayDeque<Integer> newcomers = new ArrayDeque<>(1);
    private boolean closed;
    private boolean crashed;
    private long timerAt = NEVER;
    private long queuedAt = NEVER;

    Network(Simulation simulation, int rank) {
        this.simulation = simulation;
        this.rank = rank;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return simulation.size();
    }

    @Override
    public Pipe link(int peer) {
        require(
                peer >= 0 && peer < size() && peer != rank && !closed,
                INVALID_ARGUMENT,
                "sim: rank %d of %d has no link to rank %d%s",
                rank,
                size(),
                peer,
                closed ? ": it is closed" : "");
        return pipe(peer);
    }

    private Pipe pipe(int peer) {
        if (pipes == null) pipes = new Pipe[size()];
        if (pipes[peer] == null) pipes[peer] = new Pipe(this, peer);
        return pipes[peer];
    }

    @Override
    public boolean opensLazily() {
        return true;
    }

    @Override
    public int opened() {
        return newcomers.isEmpty() ? -1 : newcomers.poll();
    }

    /** The first bytes of a peer have come; a rank that has closed answers by closing that link too. */
    void openedBy(int peer) {
        if (closed) pipe(peer).close();
        else if (pipes == null || pipes[peer] == null) newcomers.add(peer);
    }

    @Override
    public long nanoTime() {
        return simulation.nanoTime();
    }

    @Override
    public void await(long nanos) {
        long wait = Math.max(nanos, SHORTEST_WAIT);
        timerAt = wait > NEVER - nanoTime() ? NEVER : nanoTime() + wait;
        queueTimer();
    }

    private void queueTimer() {
        if (timerAt >= queuedAt) return;
        queuedAt = timerAt;
        simulation.schedule(timerAt, this::timer);
    }

    private void timer() {
        if (nanoTime() != queuedAt) return;
        queuedAt = NEVER;
        if (nanoTime() < timerAt) {
            queueTimer();
            return;
        }
        timerAt = NEVER;
        rouse();
    }

    @Override
    public void wakeUp() {
        rouse();
    }

    void rouse() {
        simulation.rouse(rank);
    }

    void crash() {
        crashed = true;
    }

    boolean isCrashed() {
        return crashed;
    }

    Wire wire(int to) {
        if (wires == null) wires = new Wire[size()];
        if (wires[to] == null) wires[to] = simulation.newWire(this, to);
        return wires[to];
    }

    boolean hasStreamTo(int peer) {
        return streams != null && streams[peer] != null;
    }

    Stream streamTo(int peer) {
        if (streams == null) streams = new Stream[size()];
        if (streams[peer] == null) streams[peer] = new Stream(simulation, this, simulation.node(peer));
        return streams[peer];
    }

    Stream streamFrom(int peer) {
        Network other = simulation.node(peer);
        return other.hasStreamTo(rank) ? other.streamTo(rank) : null;
    }

    /** This side has closed the link to a peer: what still comes over it is thrown away. */
    void closed(int peer) {
        simulation.node(peer).streamTo(rank).abandon();
    }

    Counters counters(int to) {
        return wires == null || wires[to] == null ? Counters.NONE : wires[to].counters();
    }

    /** Frees the memory of what is under way. */
    void release() {
        if (streams != null) for (Stream s : streams) if (s != null) s.release();
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        if (pipes != null) for (Pipe p : pipes) if (p != null) p.close();
        for (int peer : newcomers) pipe(peer).close();
        newcomers.clear();
    }
}
