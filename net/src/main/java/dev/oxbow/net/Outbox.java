package dev.oxbow.net;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What waits to go over one link, in order: messages of the user, notes, and the protocol's own frames. */
final class Outbox {
    /** Shorter messages are copied through the pipe even where the peer could read them in place: one trip, not two. */
    private static final long WORTH_SHARING = 16 << 10;

    /** Bytes that are put behind their header and written with it, so that the peer hears of them once. */
    private static final long TOGETHER = 2 << 10;

    private record Outgoing(int kind, long length, long tag, long id, Operation op, Buffer note) {}

    private final Mesh mesh;
    private final Link link;
    private final Buffer header;
    private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
    /** What can wait until something else goes. */
    private final ArrayDeque<Outgoing> later = new ArrayDeque<>();

    private final Map<Long, Operation> lent = new HashMap<>();
    private long headerSent = -1;
    private long bodySent;
    private long nextId = 1;
    private boolean unflushed;

    Outbox(Mesh mesh, Link link) {
        this.mesh = mesh;
        this.link = link;
        header = mesh.memory(Frame.BYTES + TOGETHER);
    }

    void send(Operation op) {
        boolean share = (op.loan || op.length >= WORTH_SHARING) && link.share(op.address, op.length) >= 0;
        op.spliced = !share && link.splices(op.address, op.length);
        if (share || op.spliced) op.id = nextId++;
        queue.add(new Outgoing(share ? Frame.SHARED : Frame.DATA, op.length, op.tag, op.id, op, null));
    }

    void note(long address, int length) {
        Buffer copy = mesh.memory(length);
        Memory.copy(address, copy.address(), length);
        queue.add(new Outgoing(Frame.NOTE, length, 0, 0, null, copy));
    }

    void control(int kind, long id) {
        queue.add(new Outgoing(kind, 0, 0, id, null, null));
    }

    /** A frame that can wait for another one to go with: alone it would only wake the peer. */
    void controlLater(int kind, long id) {
        later.add(new Outgoing(kind, 0, 0, id, null, null));
        mesh.later();
    }

    /** Waits no longer with what can wait. */
    void hurry() {
        while (!later.isEmpty()) queue.add(later.poll());
    }

    boolean isEmpty() {
        return queue.isEmpty() && !unflushed;
    }

    /** Writes what the link takes; whether it took anything. */
    boolean progress() {
        boolean moved = false;
        if (headerSent < 0 && !queue.isEmpty()) while (!later.isEmpty()) queue.addFirst(later.pollLast());
        for (Outgoing out = queue.peek(); out != null; out = queue.peek()) {
            long length = out.kind == Frame.DATA || out.kind == Frame.NOTE ? out.length : 0;
            long from = length == 0 ? 0 : out.op != null ? out.op.address : out.note.address();
            long first = Frame.BYTES + (length <= TOGETHER ? length : 0);
            if (headerSent < 0) {
                long reference = out.kind == Frame.SHARED ? link.share(out.op.address, out.length) : 0;
                long channel = out.op == null ? 0 : out.op.channel;
                Frame.write(header.address(), out.kind, out.length, out.tag, out.id, reference, channel);
                if (out.id > 0 && out.op != null) lent.put(out.id, out.op);
                if (first > Frame.BYTES) Memory.copy(from, header.address() + Frame.BYTES, length);
                headerSent = 0;
            }
            if (headerSent < first) {
                long n = link.write(header.address() + headerSent, first - headerSent);
                moved |= n > 0;
                headerSent += n;
                if (headerSent < first) break;
                bodySent = first - Frame.BYTES;
            }
            if (bodySent < length) {
                boolean spliced = out.op != null && out.op.spliced;
                long at = from + bodySent, left = length - bodySent;
                long n = spliced ? link.splice(at, left) : link.write(at, left);
                moved |= n > 0;
                bodySent += n;
                if (out.op != null) out.op.moved = bodySent;
                if (bodySent < length) break;
            }
            queue.remove();
            headerSent = -1;
            bodySent = 0;
            if (out.note != null) out.note.release();
            if (out.kind == Frame.DATA && !out.op.spliced) {
                out.op.releaseCopy();
                mesh.end(out.op, null);
            }
        }
        unflushed |= moved;
        if (!unflushed) return moved;
        unflushed = !link.flush();
        // a link that refused a write and has room again by now does not tell of that any more
        return moved || !unflushed && !queue.isEmpty();
    }

    /** The peer has read a message whose memory it saw, or will not read it any more; whether it was a spliced one. */
    boolean taken(long id) {
        Operation op = lent.remove(id);
        if (op != null) mesh.end(op, op.cancelled);
        return op != null && op.spliced;
    }

    /** Stops using the memory of a send at once, or as soon as the peer has stopped reading it. */
    void cancel(Operation op, OxbowException why) {
        if (lent.get(op.id) == op && !op.spliced) {
            op.cancelled = why;
            control(Frame.REVOKED, op.id);
            return;
        }
        if (lent.remove(op.id, op)) link.detach(op.address, op.length);
        op.spliced = false;
        Outgoing head = queue.peek();
        if (head != null && head.op == op && headerSent >= 0) {
            op.copy = mesh.memory(op.length);
            Memory.copy(op.address + bodySent, op.copy.address() + bodySent, op.length - bodySent);
            op.address = op.copy.address();
        } else {
            queue.removeIf(o -> o.op == op);
        }
        mesh.end(op, why);
    }

    List<Operation> operations() {
        List<Operation> all = new ArrayList<>(lent.values());
        for (Outgoing out : queue) if (out.op != null && !lent.containsKey(out.id)) all.add(out.op);
        return all;
    }

    void close() {
        for (Outgoing out : queue) {
            if (out.note != null) out.note.release();
            if (out.op != null) out.op.releaseCopy();
        }
        queue.clear();
        later.clear();
        for (Operation op : lent.values()) if (op.spliced) link.detach(op.address, op.length);
        lent.clear();
        header.release();
    }
}
