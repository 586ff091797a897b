package dev.oxbow.net;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.OxbowException;

/** A send or a receive that has begun; {@link Mesh#cancel} takes it back. */
public final class Operation {
    final Peer peer;
    final boolean sends;
    final long tag;
    final long length;
    final Sink sink;
    /** Whether the receiver keeps the message where it lies until it gives it back. */
    final boolean loan;

    private final Answer answer;

    /** Where the bytes are, or go. A cancelled send goes on from a copy; what is borrowed lies where it was put. */
    long address;

    /** Whose message it is, for {@link Mesh#forget}. */
    long channel;

    /** How many bytes have gone or come. */
    long moved;

    /** When it ends with an error, by the transport's clock. */
    long deadline;

    /** The number of a send whose memory the peer reads. */
    long id;

    /** Whether the link takes the bytes of a send without copying them. */
    boolean spliced;

    /** The copy that a cancelled send goes on from. */
    Buffer copy;

    /** Why a send in shared memory was taken back, while the peer has not confirmed that. */
    OxbowException cancelled;

    /** The end has been decided; the answer is given in the same step. */
    boolean ended;

    private OxbowException error;

    /** The next operation with the same tag; the first one also knows the last. */
    Operation next;

    Operation last;

    Operation(
            Peer peer,
            boolean sends,
            boolean loan,
            long tag,
            long address,
            long length,
            Sink sink,
            long deadline,
            Answer answer) {
        this.peer = peer;
        this.sends = sends;
        this.loan = loan;
        this.tag = tag;
        this.address = address;
        this.length = length;
        this.sink = sink;
        this.deadline = deadline;
        this.answer = answer;
    }

    /** Where a borrowed message lies, once it has come. */
    public long address() {
        return address;
    }

    /** How many of its bytes have gone or come so far. */
    public long moved() {
        return moved;
    }

    /** Moves the deadline to a later time. */
    public void prolong(long until) {
        deadline = Math.max(deadline, until);
    }

    void decide(OxbowException error) {
        ended = true;
        this.error = error;
    }

    void answer() {
        answer.ended(error);
    }

    void releaseCopy() {
        if (copy != null) copy.release();
        copy = null;
    }

    @Override
    public String toString() {
        return "%s of %,d bytes %s %s".formatted(sends ? "send" : "receive", length, sends ? "to" : "from", peer);
    }
}
