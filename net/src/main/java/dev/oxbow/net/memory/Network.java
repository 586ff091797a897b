package dev.oxbow.net.memory;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Transport;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** One rank's side of a network inside one process, where threads are the ranks. */
public final class Network implements Transport {
    /** Bytes that each direction of a link holds. */
    private static final long CAPACITY = 1 << 20;

    private static final long SPIN_NANOS = 20_000;

    private final Fabric fabric;
    private final int rank;
    private final int size;
    private final boolean spins;
    private final Pipe[] pipes;
    private Pipe[] open = new Pipe[0];
    private boolean closed;
    private volatile Thread sleeper;
    private volatile boolean woken;

    Network(Fabric fabric, int rank, int size) {
        this.fabric = fabric;
        this.rank = rank;
        this.size = size;
        pipes = new Pipe[size];
        spins = size <= Runtime.getRuntime().availableProcessors();
    }

    /** The transports of ranks 0 to {@code size - 1}. */
    public static List<Network> mesh(int size) {
        return mesh(size, CAPACITY);
    }

    /** The same with links that hold {@code capacity} bytes each way, a power of two from 64. */
    public static List<Network> mesh(int size, long capacity) {
        require(
                size > 0 && size < 1 << 15 && Long.bitCount(capacity) == 1 && capacity >= 64,
                INVALID_ARGUMENT,
                "memory: needs 1 to 32,767 ranks and a power of two of bytes from 64, got %d and %d",
                size,
                capacity);
        Fabric fabric = new Fabric(size, capacity);
        return IntStream.range(0, size).mapToObj(fabric::network).toList();
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Pipe link(int peer) {
        require(
                peer >= 0 && peer < size && peer != rank && !closed,
                INVALID_ARGUMENT,
                "memory: rank %d of %d has no link to rank %d%s",
                rank,
                size,
                peer,
                closed ? ": it is closed" : "");
        if (pipes[peer] == null) {
            pipes[peer] = fabric.pipe(this, peer);
            open = Arrays.copyOf(open, open.length + 1);
            open[open.length - 1] = pipes[peer];
        }
        return pipes[peer];
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void await(long nanos) {
        if (roused()) return;
        long start = System.nanoTime();
        long spin = spins ? Math.min(nanos, SPIN_NANOS) : 0;
        while (System.nanoTime() - start < spin) {
            Thread.onSpinWait();
            if (roused()) return;
        }
        sleeper = Thread.currentThread();
        VarHandle.fullFence();
        long left = nanos - (System.nanoTime() - start);
        while (left > 0 && !roused() && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = nanos - (System.nanoTime() - start);
        }
        sleeper = null;
    }

    private boolean roused() {
        if (woken) {
            woken = false;
            return true;
        }
        for (Pipe pipe : open) if (pipe.stirred()) return true;
        return false;
    }

    @Override
    public void wakeUp() {
        woken = true;
        stir();
    }

    /** Called by peers that have changed something that this rank may wait for. */
    void stir() {
        Thread thread = sleeper;
        if (thread != null) LockSupport.unpark(thread);
    }

    @Override
    public boolean shares(int peer) {
        return peer != rank();
    }

    @Override
    public long allocateShared(long bytes) {
        require(bytes >= 0 && !closed, INVALID_ARGUMENT, "memory: can not share %d bytes of rank %d", bytes, rank);
        return fabric.allocate(rank, bytes);
    }

    @Override
    public Runnable holdShared() {
        return fabric.hold();
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        fabric.close(this, pipes);
    }
}
