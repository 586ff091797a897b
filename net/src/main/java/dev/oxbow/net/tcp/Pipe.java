package dev.oxbow.net.tcp;

import dev.oxbow.net.Link;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;

/** A link that is a plain socket. Small writes wait for a large one or a flush; large reads go past the buffer. */
final class Pipe implements Link {
    /** The most that one call to the system moves. */
    static final int CHUNK = 1 << 20;

    /** Writes below this are gathered, and reads below it go through the buffer. */
    static final int SMALL = 16 << 10;

    private static final int STAGING = 64 << 10;
    /** A small read fetches this much ahead: more would only be copied twice when a large message follows. */
    private static final int AHEAD = 4 << 10;

    /** What has come is combined from here into memory: both should stay in a core's cache. */
    private static final int RECEIVED = 256 << 10;

    private final Cable cable;
    private final Received received = new Received(RECEIVED);
    private Buffer staging;
    private int sent;
    private int staged;

    Pipe(Cable cable) {
        this.cable = cable;
    }

    @Override
    public long write(long address, long length) {
        if (length < SMALL) return stage(address, (int) length);
        int n = (int) Math.min(length, CHUNK);
        if (staged == 0) return cable.write(Cable.view(address, n));
        int before = staged - sent;
        long written = cable.write(Cable.view(staging.address() + sent, before), Cable.view(address, n));
        unstage((int) Math.min(written, before));
        return Math.max(0, written - before);
    }

    private long stage(long address, int length) {
        cable.checkOpen();
        if (length == 0) return 0;
        if (staging == null) staging = MemoryPool.shared().allocate(STAGING, "tcp: staging");
        if (staged + length > STAGING && !flush()) return 0;
        Memory.copy(address, staging.address() + staged, length);
        staged += length;
        return length;
    }

    @Override
    public boolean flush() {
        if (staged > 0) unstage(cable.write(Cable.view(staging.address() + sent, staged - sent)));
        return staged == 0;
    }

    private void unstage(int n) {
        sent += n;
        if (sent == staged) sent = staged = 0;
    }

    @Override
    public long available() {
        if (received.available() == 0) fetch(RECEIVED);
        return received.available();
    }

    /*
     * Without this a message whose pieces end inside a segment of TCP would go on in reads of AHEAD: the rest of each is
     * too short to be taken, and the next read only completes it.
     */
    @Override
    public long available(int wanted) {
        int n = received.available();
        if (n == 0) return available();
        if (n < wanted) {
            received.compact();
            received.added(straight(n, received.end(), received.room()));
        }
        return received.available();
    }

    private void fetch(int most) {
        cable.checkOpen();
        received.added(cable.read(Cable.view(received.end(), Math.min(most, received.room()))));
    }

    @Override
    public long address() {
        return received.address();
    }

    @Override
    public void skip(long length) {
        received.skip(length);
    }

    @Override
    public long read(long address, long length) {
        int n = received.drain(address, length);
        long left = length - n;
        if (left == 0) return n;
        // before the first look at what is available, reads are exact: a stranger gets no buffer
        if (left >= SMALL || !received.isAllocated()) return n + straight(n, address + n, left);
        if (n > 0) return n;
        fetch(AHEAD);
        return received.drain(address, length);
    }

    /** Reads to the caller's memory; when the call has bytes to return already, a broken pipe shows at the next one. */
    private int straight(int already, long address, long length) {
        try {
            return cable.read(Cable.view(address, Math.min(length, CHUNK)));
        } catch (OxbowException e) {
            if (already > 0) return 0;
            throw e;
        }
    }

    /** From now on reads may fetch ahead. */
    void settle() {
        cable.checkOpen();
        received.end();
    }

    @Override
    public String peer() {
        return cable.peer();
    }

    @Override
    public void close() {
        if (cable.isOpen()) {
            try {
                flush();
            } catch (RuntimeException _) {
                // the peer is gone; there is nobody to tell
            }
            cable.close();
        }
        received.close();
        if (staging != null) staging.release();
        staging = null;
        sent = staged = 0;
    }
}
