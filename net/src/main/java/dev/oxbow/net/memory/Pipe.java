package dev.oxbow.net.memory;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.net.ring.Ring;
import dev.oxbow.tensor.Memory;
import java.lang.invoke.VarHandle;

/** A link between two ranks of one process: a ring each way. */
final class Pipe implements Link {
    private final Fabric fabric;
    private final Network other;
    private final Wire wire;
    private final Ring out;
    private final Ring in;
    private boolean closed;

    Pipe(Fabric fabric, Network own, Network other, Wire wire) {
        this.fabric = fabric;
        this.other = other;
        this.wire = wire;
        boolean lower = own.rank() < other.rank();
        out = new Ring(wire.ring(lower), fabric.capacity());
        in = new Ring(wire.ring(!lower), fabric.capacity());
    }

    @Override
    public long write(long address, long length) {
        checkOpen();
        if (in.isEnding()) throw broken("closed the connection");
        long taken = out.write(address, length);
        if (taken > 0) wakePeer();
        return taken;
    }

    @Override
    public boolean flush() {
        checkOpen();
        return true;
    }

    @Override
    public long available() {
        checkOpen();
        long n = in.available();
        if (n <= 0 && in.ended()) throw broken("closed the connection");
        return n;
    }

    @Override
    public long address() {
        return in.address();
    }

    @Override
    public void skip(long length) {
        checkOpen();
        if (in.skip(length)) wakePeer();
    }

    @Override
    public long read(long address, long length) {
        long done = 0;
        while (done < length) {
            long n = Math.min(length - done, done == 0 ? available() : in.available());
            if (n == 0) break;
            Memory.copy(in.address(), address + done, n);
            skip(n);
            done += n;
        }
        return done;
    }

    @Override
    public long share(long address, long length) {
        return fabric.isShared(address, length) ? address : -1;
    }

    @Override
    public long shared(long reference, long length) {
        if (!fabric.isShared(reference, length))
            throw broken("refers to %d bytes at %d, which no rank shares".formatted(length, reference));
        return reference;
    }

    @Override
    public boolean isEnding() {
        return in.isEnding();
    }

    @Override
    public String peer() {
        return "rank " + other.rank();
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        out.end();
        in.leave();
        wakePeer();
        wire.release();
    }

    boolean stirred() {
        return !closed && (in.news() || out.relieved());
    }

    private void checkOpen() {
        require(!closed, UNAVAILABLE, "the link to %s was closed on this side", peer());
    }

    private void wakePeer() {
        VarHandle.fullFence();
        other.stir();
    }
}
