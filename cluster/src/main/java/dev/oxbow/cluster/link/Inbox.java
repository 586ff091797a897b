package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.Link;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;

/** What comes by one link: whole frames, and pieces of contents straight into their memory. */
final class Inbox {
    /** Frames that are taken before others have their turn. */
    private static final int MOST = 64;

    /** What is read at once of bytes that nobody wants any more. */
    private static final int DROPPED = 64 << 10;

    private final Link link;
    private final Line.End end;
    private final Buffer header = MemoryPool.shared().allocate(Frame.BYTES, "a link");
    private Buffer body;
    private long headerGot;
    private long bodyGot;
    private boolean closed;

    Inbox(Link link, Line.End end) {
        this.link = link;
        this.end = end;
    }

    /** Takes what has come; whether anything did. */
    boolean read() {
        boolean moved = false;
        for (int i = 0; i < MOST && !closed; i++) {
            if (headerGot < Frame.BYTES) {
                long n = link.read(header.address() + headerGot, Frame.BYTES - headerGot);
                headerGot += n;
                moved |= n > 0;
                if (headerGot < Frame.BYTES) break;
                String fault = Frame.fault(header.address());
                if (fault != null) throw new OxbowException(UNAVAILABLE, "sent " + fault).of(link.peer());
                bodyGot = 0;
            }
            long before = bodyGot, length = Frame.length(header.address());
            boolean whole = Frame.kind(header.address()) == Frame.DATA ? readData(length) : readBody(length);
            moved |= bodyGot > before || whole;
            if (!whole) break;
            headerGot = 0;
            handle(length);
        }
        return moved;
    }

    private boolean readData(long length) {
        long id = Frame.id(header.address()), offset = Frame.number(header.address());
        while (bodyGot < length) {
            long left = length - bodyGot, at = end.place(id, offset + bodyGot, left);
            long n = at != 0 ? link.read(at, left) : dropped(left);
            bodyGot += n;
            if (n == 0) return false;
        }
        return true;
    }

    private long dropped(long left) {
        Buffer b = MemoryPool.shared().allocate(Math.min(left, DROPPED), "a link");
        try {
            return link.read(b.address(), Math.min(left, DROPPED));
        } finally {
            b.release();
        }
    }

    private boolean readBody(long length) {
        if (length == 0) return true;
        if (body == null) body = MemoryPool.shared().allocate(length, "a link");
        while (bodyGot < length) {
            long n = link.read(body.address() + bodyGot, length - bodyGot);
            bodyGot += n;
            if (n == 0) return false;
        }
        return true;
    }

    private void handle(long length) {
        long h = header.address();
        if (Frame.kind(h) == Frame.DATA) {
            end.placed(Frame.id(h), length);
            return;
        }
        Buffer b = body;
        body = null;
        try {
            end.frame(Frame.kind(h), Frame.id(h), Frame.number(h), b == null ? 0 : b.address(), (int) length);
        } finally {
            if (b != null) b.release();
        }
    }

    void close() {
        if (closed) return;
        closed = true;
        if (body != null) body.release();
        header.release();
    }
}
