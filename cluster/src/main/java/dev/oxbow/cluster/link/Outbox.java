package dev.oxbow.cluster.link;

import dev.oxbow.net.Link;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** What goes out by one link: short frames first, then pieces of contents, straight from their memory. */
final class Outbox {
    private static final byte[] NOTHING = {};

    private final Link link;
    private final ArrayDeque<Buffer> frames = new ArrayDeque<>();
    private final ArrayDeque<Content> contents = new ArrayDeque<>();
    private final Buffer header = MemoryPool.shared().allocate(Frame.BYTES, "a link");
    private long frameSent;
    private Content piece;
    private long headerSent;
    private long pieceLeft;
    private boolean unflushed;
    private boolean closed;

    Outbox(Link link) {
        this.link = link;
    }

    void frame(int kind, long id, long number) {
        frame(kind, id, number, NOTHING);
    }

    void frame(int kind, long id, long number, byte[] bytes) {
        Buffer b = MemoryPool.shared().allocate(Frame.BYTES + bytes.length, "a link");
        Frame.write(b.address(), kind, id, number, bytes.length);
        MemorySegment.copy(bytes, 0, Memory.ALL, Memory.BYTE, b.address() + Frame.BYTES, bytes.length);
        frames.add(b);
    }

    void content(Content c) {
        contents.add(c);
    }

    /** Drops what has not left of a content. */
    void drop(Content c) {
        c.drop();
        if (piece != c && contents.remove(c)) c.release();
    }

    boolean isEmpty() {
        return frames.isEmpty() && contents.isEmpty() && !unflushed;
    }

    /** Writes what the link takes; whether anything moved. */
    boolean write() {
        boolean moved = false;
        while (piece != null ? writePiece() : !frames.isEmpty() ? writeFrame() : begin()) moved = true;
        unflushed |= moved;
        if (unflushed) unflushed = !link.flush();
        return moved;
    }

    private boolean writeFrame() {
        Buffer b = frames.peek();
        long length = Frame.BYTES + Frame.length(b.address());
        long n = link.write(b.address() + frameSent, length - frameSent);
        frameSent += n;
        if (frameSent == length) {
            frames.remove().release();
            frameSent = 0;
        }
        return n > 0;
    }

    private boolean begin() {
        piece = contents.peek();
        if (piece == null) return false;
        pieceLeft = Math.min(Frame.PIECE, piece.length - piece.sent);
        Frame.write(header.address(), Frame.DATA, piece.id, piece.sent, pieceLeft);
        headerSent = 0;
        return true;
    }

    private boolean writePiece() {
        if (headerSent < Frame.BYTES) {
            long n = link.write(header.address() + headerSent, Frame.BYTES - headerSent);
            headerSent += n;
            return n > 0;
        }
        long n = link.write(piece.address + piece.sent, pieceLeft);
        piece.sent += n;
        pieceLeft -= n;
        if (pieceLeft == 0) {
            Content done = piece;
            piece = null;
            if (done.isOver()) {
                contents.remove(done);
                done.release();
            }
        }
        return n > 0;
    }

    void close() {
        if (closed) return;
        closed = true;
        frames.forEach(Buffer::release);
        frames.clear();
        ArrayDeque<Content> left = new ArrayDeque<>(contents);
        contents.clear();
        left.forEach(Content::release);
        header.release();
    }
}
