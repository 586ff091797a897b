package dev.oxbow.net.sim;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.tensor.Memory;

/** A link of the simulated network: a stream each way, made when it is first written. */
final class Pipe implements Link {
    private final Network own;
    private final int peer;
    private Stream in;
    private boolean closed;

    Pipe(Network own, int peer) {
        this.own = own;
        this.peer = peer;
    }

    /** The stream that the peer writes, or null before it has. */
    private Stream in() {
        if (in == null) in = own.streamFrom(peer);
        return in;
    }

    private boolean isLeft() {
        return in() != null && in.isEnded();
    }

    @Override
    public long write(long address, long length) {
        checkOpen();
        if (isLeft()) throw broken("closed the connection");
        return length == 0 ? 0 : own.streamTo(peer).write(address, length);
    }

    @Override
    public boolean flush() {
        checkOpen();
        if (own.hasStreamTo(peer)) own.streamTo(peer).flush();
        return true;
    }

    @Override
    public long available() {
        checkOpen();
        long n = in() == null ? 0 : in.available();
        if (n <= 0 && isLeft()) throw broken("closed the connection");
        return n;
    }

    @Override
    public long address() {
        return in() == null ? 0 : in.address();
    }

    @Override
    public void skip(long length) {
        checkOpen();
        if (length == 0) return;
        long n = in() == null ? 0 : in.available();
        require(
                length > 0 && length <= n,
                INVALID_ARGUMENT,
                "sim: skip of %d bytes from %s where %d are available",
                length,
                peer(),
                n);
        in.skip(length);
    }

    @Override
    public long read(long address, long length) {
        long done = 0;
        while (done < length) {
            long n = Math.min(length - done, done == 0 ? available() : in().available());
            if (n == 0) break;
            Memory.copy(in.address(), address + done, n);
            in.skip(n);
            done += n;
        }
        return done;
    }

    @Override
    public String peer() {
        return "rank " + peer;
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        own.streamTo(peer).end();
        own.closed(peer);
    }

    private void checkOpen() {
        require(!closed, UNAVAILABLE, "the link to %s was closed on this side", peer());
    }
}
