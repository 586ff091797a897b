package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The messages between the ranks of a job over any {@link Transport}. A message has a tag and is matched with the receive
 * of the same peer and tag, in order. One thread at a time calls it; it never blocks, and moves only inside {@link #step}.
 *
 * <ul>
 *   <li>Every operation is answered exactly once: when its memory is no longer used, or after its deadline, or when its
 *       peer is lost. Answers are given inside {@link #step}, and may begin further operations.
 *   <li>A peer is lost when its link breaks or nothing came from it for {@link MeshConfig#lostAfter}; every operation
 *       with it then ends with an error that names it, and the listener is told once.
 *   <li>A message in memory that both sides see is read in place.
 * </ul>
 */
public final class Mesh implements AutoCloseable {

    /** Told once about each peer that is gone. */
    @FunctionalInterface
    public interface LossListener {
        void lost(int peer, OxbowException why);
    }

    /** Takes a note that a peer sent without being asked; the memory is valid during the call only. */
    @FunctionalInterface
    public interface NoteHandler {
        void note(int from, long address, int length);
    }

    /** The longest note. */
    public static final int MAX_NOTE = 64 << 10;

    /** So many channels are known to be forgotten; the last messages of the oldest have come long ago. */
    private static final int MAX_FORGOTTEN = 4096;

    /** Frames that wait for others to go with do so for at most so many steps. */
    private static final int BUSY = 16;

    private static final int GOODBYE_TRIES = 100;
    private static final long MILLISECOND = 1_000_000;

    private final Transport transport;
    private final MeshConfig config;
    private final LossListener listener;
    private final NoteHandler notes;
    private final MemoryPool memory = new MemoryPool("mesh", Long.MAX_VALUE);
    private final Peer[] peers;
    private final List<Peer> open = new ArrayList<>();
    private final ArrayDeque<Operation> decided = new ArrayDeque<>();
    private final ArrayDeque<Runnable> soon = new ArrayDeque<>();
    private final ArrayDeque<Peer> lost = new ArrayDeque<>();
    private final LinkedHashSet<Long> forgotten = new LinkedHashSet<>();
    private long now;
    private long nextLook;
    private long nextDeadline = Long.MAX_VALUE;
    private int busy;
    private boolean later;
    private boolean closed;

    public Mesh(Transport transport, MeshConfig config, LossListener listener, NoteHandler notes) {
        this.transport = transport;
        this.config = config;
        this.listener = listener;
        this.notes = notes;
        peers = new Peer[transport.size()];
        now = transport.nanoTime();
        nextLook = now;
        if (!transport.opensLazily()) for (int r = 0; r < peers.length; r++) if (r != rank()) peer(r);
    }

    public int rank() {
        return transport.rank();
    }

    public int size() {
        return transport.size();
    }

    public Transport transport() {
        return transport;
    }

    /** Sends memory that stays untouched until the answer; {@code deadline} is a value of the transport's clock. */
    public Operation send(int to, long tag, long address, long length, long deadline, Answer answer) {
        return send(to, 0, tag, address, length, deadline, answer);
    }

    /** The same for a message of a channel: matched by its tag alone, but {@link #forget} drops it by its channel. */
    public Operation send(int to, long channel, long tag, long address, long length, long deadline, Answer answer) {
        Operation op = new Operation(peer(to), true, false, tag, address, length, null, deadline, answer);
        op.channel = channel;
        return begun(op);
    }

    /** Receives a message of exactly {@code length} bytes into memory. */
    public Operation receive(int from, long tag, long address, long length, long deadline, Answer answer) {
        return begun(new Operation(peer(from), false, false, tag, address, length, null, deadline, answer));
    }

    /** Receives a message of exactly {@code length} bytes through a sink, in place where the transport allows. */
    public Operation receive(int from, long tag, long length, Sink sink, long deadline, Answer answer) {
        return begun(new Operation(peer(from), false, false, tag, 0, length, sink, deadline, answer));
    }

    /** Sends memory which the peer, where it sees it in place, may read until it gives it back; the answer comes then. */
    public Operation lend(int to, long channel, long tag, long address, long length, long deadline, Answer answer) {
        Operation op = new Operation(peer(to), true, true, tag, address, length, null, deadline, answer);
        op.channel = channel;
        return begun(op);
    }

    /** Receives a message that stays where it lies, at {@link Operation#address}, from the answer until {@link #giveBack}. */
    public Operation borrow(int from, long tag, long length, long deadline, Answer answer) {
        return begun(new Operation(peer(from), false, true, tag, 0, length, null, deadline, answer));
    }

    /** Ends a loan; false when the owner has taken the memory back before, so that what was read may be anything. */
    public boolean giveBack(Operation op) {
        return op.peer.inbox().giveBack(op);
    }

    /** Makes a peer that waits take another step. */
    public void nudge(int to) {
        Peer peer = peer(to);
        if (peer.loss() == null) peer.outbox().control(Frame.HEARTBEAT, 0);
    }

    private Operation begun(Operation op) {
        require(op.length >= 0, INVALID_ARGUMENT, "Mesh: a message can not have %d bytes", op.length);
        require(
                op.length <= config.maxMessage(),
                INVALID_ARGUMENT,
                "Mesh: a message of %,d bytes is longer than maxMessage, %,d",
                op.length,
                config.maxMessage());
        boolean lives = op.peer.loss() == null || !op.sends && op.peer.inbox().holds(op.tag);
        if (!lives) end(op, op.peer.loss());
        nextDeadline = Math.min(nextDeadline, op.deadline);
        if (op.ended) return op;
        if (op.sends) op.peer.outbox().send(op);
        else op.peer.inbox().receive(op);
        return op;
    }

    /** Ends an operation early: the answer comes once its memory is no longer used, with {@code why} unless it had ended. */
    public void cancel(Operation op, OxbowException why) {
        if (op.ended || op.cancelled != null || op.peer.loss() != null) return;
        if (op.sends) op.peer.outbox().cancel(op, why);
        else op.peer.inbox().cancel(op, why);
    }

    /** Drops messages of a channel that have come or will come and that nobody has asked for by then. */
    public void forget(long channel) {
        forgotten.add(channel);
        if (forgotten.size() > MAX_FORGOTTEN) forgotten.removeFirst();
        for (Peer p : peers) if (p != null) p.inbox().forget(channel);
    }

    /** Sends a note of at most {@link #MAX_NOTE} bytes, copied before the call returns; dropped when the peer is gone. */
    public void note(int to, long address, int length) {
        require(
                length >= 0 && length <= MAX_NOTE,
                INVALID_ARGUMENT,
                "Mesh: a note has up to %d bytes, not %d",
                MAX_NOTE,
                length);
        Peer peer = peer(to);
        if (peer.loss() == null) peer.outbox().note(address, length);
    }

    /** Whether the link to a peer has taken all that goes there. */
    public boolean isSent(int peer) {
        return peers[peer] == null
                || peers[peer].loss() != null
                || peers[peer].outbox().isEmpty();
    }

    /** Why a peer is gone, or {@code null} while it is there. */
    public OxbowException loss(int peer) {
        return peers[peer] == null ? null : peers[peer].loss();
    }

    /** The same for a peer that is going to be gone after a time if nothing comes from it. */
    public OxbowException loss(int peer, Duration soon) {
        return peers[peer] == null
                ? null
                : peers[peer].loss(now, soon.toNanos(), config.lostAfter().toNanos());
    }

    /** What is held of messages from a peer that nobody has asked for, as it counts against the bound. */
    public long held(int peer) {
        return peers[peer] == null ? 0 : peers[peer].inbox().held();
    }

    /** Moves everything that can move; whether anything did. */
    public boolean step() {
        require(!closed, FAILED_PRECONDITION, "Mesh: rank %d has closed it", rank());
        long before = now;
        now = transport.nanoTime();
        if (now - before > config.heartbeat().toNanos()) for (Peer p : open) p.forgive(now - before);
        transport.poll();
        for (int r = transport.opened(); r >= 0; r = transport.opened()) peer(r);
        boolean moved = false;
        for (int i = 0; i < open.size(); i++) moved |= open.get(i).read(now);
        moved |= settle();
        if (!moved || ++busy == BUSY) hurry();
        for (int i = 0; i < open.size(); i++) moved |= open.get(i).write(now);
        moved |= settle();
        if (now >= nextLook) lookAtTheClock();
        return moved;
    }

    /** Before a pause in stepping: whether there are frames that wait for others to go with. They go in the next step. */
    public boolean hurry() {
        busy = 0;
        if (!later || closed) return false;
        later = false;
        for (Peer p : open) p.outbox().hurry();
        return true;
    }

    /** Gives answers and news of losses, which may bring about more of them. */
    private boolean settle() {
        boolean moved = false;
        while (true) {
            Operation op = decided.poll();
            if (op != null) {
                op.answer();
            } else if (!soon.isEmpty()) {
                soon.poll().run();
            } else if (!lost.isEmpty()) {
                Peer peer = lost.poll();
                open.remove(peer);
                listener.lost(peer.rank(), peer.loss());
            } else {
                return moved;
            }
            moved = true;
        }
    }

    private void lookAtTheClock() {
        long heartbeat = config.heartbeat().toNanos();
        for (Peer p : List.copyOf(open))
            p.keepAlive(now, heartbeat, config.lostAfter().toNanos());
        if (now >= nextDeadline) expire();
        settle();
        nextLook = Math.min(now + heartbeat / 4, nextDeadline);
    }

    private void expire() {
        nextDeadline = Long.MAX_VALUE;
        for (Peer p : open) {
            for (Operation op : p.operations()) {
                if (op.deadline > now) nextDeadline = Math.min(nextDeadline, op.deadline);
                else
                    cancel(
                            op,
                            new OxbowException(
                                    DEADLINE_EXCEEDED,
                                    "%s: %,d of them had moved when the deadline passed%s"
                                            .formatted(
                                                    op,
                                                    op.moved,
                                                    op.sends ? "" : p.inbox().stall())));
            }
        }
    }

    /** Nanoseconds until {@link #step} has something to do by the clock alone: a heartbeat, a deadline. */
    public long idleNanos() {
        return Math.max(0, Math.min(nextLook, nextDeadline) - transport.nanoTime());
    }

    /** Says goodbye to every peer, ends every pending operation with {@code CANCELLED}, and closes the transport. */
    @Override
    public void close() {
        if (closed) return;
        for (Peer p : open) p.outbox().control(Frame.GOODBYE, 0);
        for (int i = 0; i < GOODBYE_TRIES; i++) {
            boolean empty = true;
            for (int k = 0; k < open.size(); k++) {
                open.get(k).write(now);
                empty &= open.get(k).loss() != null || open.get(k).outbox().isEmpty();
            }
            if (empty) break;
            transport.await(MILLISECOND);
        }
        var why = new OxbowException(CANCELLED, "Mesh: rank %d has closed it".formatted(rank()));
        for (Peer p : open) p.close(why);
        lost.clear();
        settle();
        for (Peer p : peers) if (p != null) p.inbox().discard();
        closed = true;
        transport.close();
        memory.close();
    }

    private Peer peer(int rank) {
        require(
                rank >= 0 && rank < peers.length && rank != rank(),
                INVALID_ARGUMENT,
                "Mesh: rank %d of %d has no peer %d",
                rank(),
                peers.length,
                rank);
        require(!closed, FAILED_PRECONDITION, "Mesh: rank %d has closed it", rank());
        if (peers[rank] == null) {
            peers[rank] = new Peer(this, rank, transport.link(rank), transport.nanoTime());
            open.add(peers[rank]);
        }
        return peers[rank];
    }

    MeshConfig config() {
        return config;
    }

    Buffer memory(long bytes) {
        return memory.allocate(bytes, "mesh");
    }

    /** Decides the end of an operation, unless that has been done; the answer follows in this step. */
    void end(Operation op, OxbowException error) {
        if (op.ended) return;
        op.decide(error);
        decided.add(op);
    }

    /** A frame waits for others to go with. */
    void later() {
        later = true;
    }

    boolean isForgotten(long channel) {
        return forgotten.contains(channel);
    }

    void soon(Runnable work) {
        soon.add(work);
    }

    void noted(int from, long address, int length) {
        notes.note(from, address, length);
    }

    void lost(Peer peer) {
        lost.add(peer);
    }
}
