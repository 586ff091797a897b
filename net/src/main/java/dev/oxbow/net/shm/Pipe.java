package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.net.ring.Ring;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.function.IntConsumer;

/** A link between two ranks of one host: a ring each way, each in the region of its reader. */
final class Pipe implements Link {
    private final Region own;
    private final Region other;
    private final Ring out;
    private final Ring in;
    private final int name;
    private IntConsumer bell = _ -> {};
    private boolean gone;
    private boolean goneTold;
    private boolean closed;

    /** {@code name} is the peer's rank in messages. */
    Pipe(Region own, Region other, int name) {
        this.own = own;
        this.other = other;
        this.name = name;
        out = other.ring(own.rank());
        in = own.ring(other.rank());
    }

    @Override
    public long write(long address, long length) {
        checkOpen();
        // Not out.left(): that lies in a line which the peer keeps writing, and this in one which is read anyway.
        if (gone || in.isEnding()) throw ended();
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
        if (n == 0 && (gone || in.ended())) {
            n = in.available(); // what came just before the end
            if (n == 0) throw ended();
        }
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
        checkOpen();
        return own.offset(address, length);
    }

    @Override
    public long shared(long reference, long length) {
        checkOpen();
        if (!other.isAllocated(reference, length))
            throw broken("refers to %d bytes at %d, which it does not share".formatted(length, reference));
        return other.address(reference);
    }

    @Override
    public boolean isEnding() {
        return in.isEnding();
    }

    @Override
    public String peer() {
        return "rank " + name;
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        out.end();
        in.leave();
        wakePeer();
    }

    void setBell(IntConsumer bell) {
        this.bell = bell;
    }

    private void wakePeer() {
        if (other.wake()) bell.accept(other.rank());
    }

    boolean stirred() {
        if (closed) return false;
        if (gone && !goneTold) {
            goneTold = true;
            return true;
        }
        return in.news() || out.relieved();
    }

    /** Looks whether the peer's process is there. */
    void watch() {
        if (!closed && !gone) gone = other.process().isGone();
    }

    private OxbowException ended() {
        return broken(
                in.isEnding()
                        ? "closed the connection"
                        : "ended without closing the connection: process %d is gone"
                                .formatted(other.process().pid()));
    }

    private void checkOpen() {
        require(!closed, UNAVAILABLE, "the link to %s was closed on this side", peer());
    }
}
