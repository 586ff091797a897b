package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.Arrivals.Arrival;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.List;

/** What comes over one link: frames are checked, then bytes go straight to the receive that asked for them. */
final class Inbox {

    /*
     * A message that nobody has asked for yet is an Arrival: held in own memory, or just remembered when it lies in
     * shared memory, both within a bound. When the bound is reached the link is not read until the message at its head is
     * asked for or held ones are; that is the back-pressure. A receive and an arrival of one tag never both wait. What is
     * held whole stays when the peer is lost: a rank that leaves after its last collective has sent all that the others
     * need, and they may ask for it later.
     */

    /** Bytes taken from one link before others get their turn and answers go out: few, so that these are in the caches. */
    private static final long TURN = 256 << 10;

    private static final int PIECE = 64;

    private enum State {
        HEADER,
        /** The header of a message has been read that is neither asked for nor may be held. */
        STALLED,
        TO_OPERATION,
        TO_ARRIVAL,
        NOTE,
        DRAIN
    }

    private final Mesh mesh;
    private final Peer peer;
    private final Link link;
    private final Buffer header;
    private final Buffer staging;
    private final Tags waiting = new Tags();
    private final Arrivals arrivals;
    private Buffer note;

    /** Bytes read in place since the last look. */
    private long inPlace;

    private State state = State.HEADER;
    private long headerRead;
    private long staged;
    private long left;
    private Operation op;
    private Arrival arrival;
    /** Whether an answer is due that may ask for what comes next. */
    private boolean pauses;

    /** The number of the message that is being read, if its sender waits to hear that it was. */
    private long owed;

    Inbox(Mesh mesh, Peer peer, Link link) {
        this.mesh = mesh;
        this.peer = peer;
        this.link = link;
        arrivals = new Arrivals(id -> peer.outbox().control(Frame.TAKEN, id));
        header = mesh.memory(Frame.BYTES);
        staging = mesh.memory(PIECE);
    }

    /** Whether it is by choice that nothing is read, so that silence says nothing about the peer. */
    boolean isStalled() {
        return state == State.STALLED;
    }

    /** In words, why nothing is read by choice, or empty. */
    String stall() {
        if (!isStalled()) return "";
        return "; nothing is read from it, since it sent a message of %,d bytes that nobody asks for when %,d were held"
                .formatted(Frame.length(header.address()), held());
    }

    long held() {
        return arrivals.held();
    }

    void receive(Operation op) {
        Arrival first = arrivals.first(op.tag);
        if (first == null) {
            waiting.add(op);
        } else {
            first.op = op;
            if (first.isWhole()) mesh.soon(() -> deliver(op.tag));
        }
    }

    /** Whether a message that nobody has asked for has come as a whole and is held here. */
    boolean holds(long tag) {
        Arrival a = arrivals.first(tag);
        return a != null && a.buffer != null && a.isWhole();
    }

    /** Reads what has come; whether anything had. */
    boolean progress() {
        long budget = TURN;
        boolean moved = false;
        pauses = false;
        while (budget > 0 && !pauses) {
            long n = advance();
            if (n < 0) break;
            moved = true;
            budget -= Math.max(n, 1) + inPlace;
            inPlace = 0;
        }
        return moved;
    }

    /** One step of the state machine: how many bytes it took, or -1 when it can not go on. */
    private long advance() {
        switch (state) {
            case HEADER -> {
                return readHeader();
            }
            case STALLED -> {
                return begin() ? 0 : -1;
            }
            case TO_OPERATION -> {
                long n = op.sink == null ? intoMemory() : intoSink();
                if (n == 0) return -1;
                left -= n;
                if (left == 0) finish();
                return n;
            }
            case TO_ARRIVAL -> {
                long n = link.read(arrival.address + arrival.moved, left);
                if (n == 0) return -1;
                arrival.moved += n;
                left -= n;
                if (left == 0) {
                    read();
                    if (arrival.op != null) deliver(arrival.tag);
                }
                return n;
            }
            case NOTE -> {
                return readNote();
            }
            case DRAIN -> {
                long n = Math.min(link.available(), left);
                if (n == 0) return -1;
                link.skip(n);
                left -= n;
                if (left == 0) read();
                return n;
            }
        }
        throw new AssertionError(state);
    }

    private long readHeader() {
        long n = link.read(header.address() + headerRead, Frame.BYTES - headerRead);
        headerRead += n;
        if (n == 0) return -1;
        if (headerRead < Frame.BYTES) return n;
        headerRead = 0;
        String fault = Frame.fault(header.address(), mesh.config().maxMessage());
        if (fault != null)
            throw new OxbowException(INTERNAL, "sent %s: it does not keep to the protocol".formatted(fault));
        state = State.STALLED;
        begin();
        return n;
    }

    /** Decides what becomes of the frame whose header has come; false when it must wait. */
    private boolean begin() {
        long at = header.address();
        long tag = Frame.tag(at);
        long id = Frame.id(at);
        long channel = Frame.channel(at);
        left = Frame.length(at);
        State next = State.HEADER;
        switch (Frame.kind(at)) {
            case Frame.DATA -> {
                owed = id;
                op = waiting.take(tag);
                if (op != null && op.length != left) {
                    mesh.end(op, wrongLength(op, left));
                    next = left > 0 ? State.DRAIN : State.HEADER;
                } else if (op != null && op.loan) {
                    next = hold(tag, channel, op);
                } else if (op != null) {
                    next = left > 0 ? State.TO_OPERATION : State.HEADER;
                    if (left == 0) mesh.end(op, null);
                } else if (mesh.isForgotten(channel)) {
                    if (left > 0) next = State.DRAIN;
                } else if (held() + left + Arrivals.OVERHEAD <= mesh.config().unexpected()) {
                    next = hold(tag, channel, null);
                } else {
                    return false;
                }
            }
            case Frame.SHARED -> {
                long address = link.shared(Frame.reference(at), left);
                Operation asked = waiting.take(tag);
                if (asked == null && mesh.isForgotten(channel)) {
                    peer.outbox().control(Frame.TAKEN, id);
                } else if (asked == null
                        && held() + Arrivals.OVERHEAD > mesh.config().unexpected()) {
                    return false;
                } else {
                    Arrival shared = arrivals.add(new Arrival(tag, left, channel, id, null, address));
                    shared.op = asked;
                    if (asked != null) deliver(tag);
                }
            }
            case Frame.TAKEN -> pauses = peer.outbox().taken(id);
            case Frame.REVOKED -> arrivals.revoke(id, waiting::addFirst);
            case Frame.NOTE -> next = State.NOTE;
            case Frame.HEARTBEAT -> {}
            case Frame.GOODBYE -> throw new OxbowException(UNAVAILABLE, "left the job");
            default -> throw new AssertionError(Frame.kind(at));
        }
        state = next;
        if (next == State.NOTE && left == 0) readNote();
        return true;
    }

    /** Takes memory for a message, for an operation that borrows it or for one to come. */
    private State hold(long tag, long channel, Operation borrower) {
        Buffer buffer = mesh.memory(Math.max(left, 1));
        arrival = arrivals.add(new Arrival(tag, left, channel, 0, buffer, buffer.address()));
        arrival.op = borrower;
        if (left == 0 && borrower != null) deliver(tag);
        return left > 0 ? State.TO_ARRIVAL : State.HEADER;
    }

    private long intoMemory() {
        long n = link.read(op.address + op.moved, left);
        op.moved += n;
        return n;
    }

    /** Hands whole pieces of 64 bytes to the sink where they lie; a piece that came in parts is put together first. */
    private long intoSink() {
        long length = Math.min(PIECE, op.length - op.moved);
        if (staged == 0) {
            long n = Math.min(link.available((int) length), left);
            if (n == 0) return 0;
            if (n < left) n -= n % PIECE;
            if (n > 0) {
                sink(link.address(), n);
                link.skip(n);
                return n;
            }
        }
        long n = link.read(staging.address() + staged, length - staged);
        staged += n;
        if (staged == length) {
            sink(staging.address(), length);
            staged = 0;
        }
        return n;
    }

    private void sink(long address, long length) {
        if (!op.ended) sink(op, address, op.moved, length);
        op.moved += length;
    }

    private void sink(Operation op, long address, long offset, long length) {
        try {
            op.sink.accept(address, offset, length);
        } catch (RuntimeException e) {
            mesh.end(op, e instanceof OxbowException o ? o : new OxbowException(INTERNAL, op + ": " + e, e));
        }
    }

    private void finish() {
        mesh.end(op, null);
        op = null;
        read();
    }

    /** The message has been read to its end. */
    private void read() {
        state = State.HEADER;
        if (owed != 0) peer.outbox().controlLater(Frame.TAKEN, owed);
        owed = 0;
    }

    private long readNote() {
        long n = 0;
        if (headerRead == 0 && link.available() >= left) {
            n = left;
            state = State.HEADER;
            mesh.noted(peer.rank(), link.address(), (int) n);
            link.skip(n);
            return n;
        }
        if (note == null) note = mesh.memory(Mesh.MAX_NOTE);
        n = link.read(note.address() + headerRead, left);
        if (n == 0 && left > 0) return -1;
        headerRead += n;
        left -= n;
        if (left == 0) {
            int length = (int) headerRead;
            headerRead = 0;
            state = State.HEADER;
            mesh.noted(peer.rank(), note.address(), length);
        }
        return n;
    }

    /** Gives every whole arrival of a tag that has been asked for to its receive. */
    private void deliver(long tag) {
        for (Arrival a = arrivals.takeAsked(tag); a != null; a = arrivals.takeAsked(tag)) deliver(a);
    }

    private void deliver(Arrival a) {
        Operation to = a.op;
        if (to.length != a.length) {
            mesh.end(to, wrongLength(to, a.length));
        } else if (to.loan && !to.ended) {
            to.address = a.address;
            arrivals.lend(to, a);
            mesh.end(to, null);
            return;
        } else if (!to.ended) {
            if (to.sink == null) Memory.copy(a.address, to.address, a.length);
            else if (a.length > 0) sink(to, a.address, 0, a.length);
            if (a.buffer == null) {
                inPlace += a.length;
                // a peer that gave this rank up has its memory back, and may have changed it while it was read
                if (link.isEnding()) throw new OxbowException(UNAVAILABLE, "gave up the link while it was read");
            }
            mesh.end(to, null);
        }
        arrivals.release(a);
    }

    boolean giveBack(Operation op) {
        Arrival a = arrivals.takeLent(op);
        if (a == null) return false;
        boolean kept = a.buffer != null || !link.isEnding();
        arrivals.release(a);
        return kept;
    }

    /** Drops what has come, and the rest of what is coming, where nobody has asked for it. */
    void forget(long channel) {
        if (state == State.TO_ARRIVAL && arrival.op == null && arrival.channel == channel) state = State.DRAIN;
        arrivals.forget(channel);
    }

    /** Stops writing into the memory of a receive at once. */
    void cancel(Operation cancelled, OxbowException why) {
        mesh.end(cancelled, why);
        waiting.remove(cancelled);
        if (op == cancelled && state == State.TO_OPERATION) {
            state = State.DRAIN;
            staged = 0;
            op = null;
        }
    }

    private OxbowException wrongLength(Operation op, long length) {
        return new OxbowException(INVALID_ARGUMENT, "%s: a message of %,d bytes came".formatted(op, length));
    }

    /** Every receive that has not ended. */
    List<Operation> operations() {
        List<Operation> all = waiting.all();
        if (state == State.TO_OPERATION && op != null) all.add(op);
        all.addAll(arrivals.operations());
        return all;
    }

    /** Gives receives what has come for them as a whole. */
    void deliverAll() {
        for (long tag : arrivals.tags()) deliver(tag);
    }

    /** The link is gone: drops all but what is held whole. */
    void close() {
        waiting.clear();
        arrivals.close();
        if (note != null) note.release();
        note = null;
        header.release();
        staging.release();
        state = State.HEADER;
    }

    /** Drops what {@link #close} has left. */
    void discard() {
        arrivals.discard();
    }
}
