package dev.oxbow.net.tcp;

import dev.oxbow.net.Contest;
import dev.oxbow.net.Link;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Pages;

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

    /** Shorter messages are copied: hearing that they were read costs more than the copy. */
    private static final int WORTH_SPLICING = 64 << 10;

    /** To wait until the peer has read a message costs something too; so splicing must be that much faster than a copy. */
    private static final double MARGIN = 1.1;

    private final Cable cable;
    private final Contest contest = new Contest(MARGIN);
    private final Received received = new Received(RECEIVED);
    private Buffer staging;
    private int sent;
    private int staged;

    Pipe(Cable cable) {
        this.cable = cable;
    }

    @Override
    public long write(long address, long length) {
        long spliced = cable.spliced();
        if (spliced > 0) return cable.splice(address, spliced, spliced < length);
        if (length < SMALL) return stage(address, (int) length);
        if (length < WORTH_SPLICING || !cable.splices()) return copy(address, length);
        long start = System.nanoTime();
        long n = copy(address, length);
        if (n >= SMALL) contest.took(false, n, System.nanoTime() - start);
        return n;
    }

    private long copy(long address, long length) {
        int n = (int) Math.min(length, CHUNK);
        if (staged == 0) return cable.write(Cable.view(address, n));
        int before = staged - sent;
        long written = cable.write(Cable.view(staging.address() + sent, before), Cable.view(address, n));
        unstage((int) Math.min(written, before));
        return Math.max(0, written - before);
    }

    @Override
    public boolean splices(long address, long length) {
        return length >= WORTH_SPLICING && cable.splices() && Pages.areMapped(address, length) && contest.takesSecond();
    }

    @Override
    public long splice(long address, long length) {
        long page = Pages.size();
        long head = cable.spliced() > 0 ? 0 : Math.min(length, -address & page - 1);
        if (head > 0) {
            long n = write(address, head);
            if (n < head) return n;
        }
        long tail = Math.min(length - head, address + length & page - 1);
        long n = head + splicePages(address + head, length - head - tail, tail > 0);
        return n < length - tail || tail == 0 ? n : n + write(address + n, tail);
    }

    private long splicePages(long address, long length, boolean more) {
        if (length == 0) return 0;
        if (staged > 0) unstage(cable.writeBeforePages(staging.address() + sent, staged - sent));
        if (staged > 0) return 0;
        long start = System.nanoTime();
        long n = cable.splice(address, length, more);
        if (n >= SMALL) contest.took(true, n, System.nanoTime() - start);
        return cable.splices() ? n : n + write(address + n, length - n);
    }

    @Override
    public void detach(long address, long length) {
        Pages.renew(address, length);
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
