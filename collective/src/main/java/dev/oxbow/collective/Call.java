package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.collective.failure.Agreement;
import dev.oxbow.collective.failure.Cause;
import dev.oxbow.collective.failure.Note;
import dev.oxbow.collective.failure.Words;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;

/** One collective on one rank, from the call to its end: agrees with the others, runs its algorithm, ends its handle. */
final class Call {

    /*
     * A deadline says how long a rank waits for others that do nothing. By itself it can not know how long a healthy exchange takes:
     * that follows from bytes, links, what else they carry and how busy the machines are. So the default deadline counts
     * from the last time that anything of the group moved here, once all ranks have agreed on the call: until then one that
     * never comes is missed on time, whatever else goes on. The clock is looked at four times within the deadline, so a
     * call that has moved and then stalls ends within a quarter more of it. A deadline that the caller gave is kept.
     */

    private static final int LOOKS = 4;

    private final Group group;
    private final Signature signature;
    private final Options options;
    private final int[] participants;
    private final int me;
    private final DType dtype;
    private final Reduction reduction;
    private final Choice choice;
    private final Pending pending;

    private Label label;
    private long key;
    private long hash;
    private long began;
    private long limit;
    private long deadline;
    private long nextLook;
    private long stallAt;
    private long progress;
    private boolean extended;
    private long lossDue = Long.MAX_VALUE;
    private int lost = -1;
    private boolean reported;

    private MeshExchange exchange;
    private Agreement agreement;
    private boolean agreed;
    private boolean finished;
    private OxbowException failure;
    private long bytes;

    /**
     * A call that has not begun.
     *
     * @param participants the ranks of the job that take part, in the order of their ranks in the algorithm
     * @param dtype of the elements, also where none move
     * @param reduction or {@code null}
     */
    Call(
            Group group,
            Signature signature,
            Options options,
            int[] participants,
            DType dtype,
            Reduction reduction,
            Choice choice,
            Pending pending) {
        this.group = group;
        this.signature = signature;
        this.options = options;
        this.participants = participants;
        this.dtype = dtype;
        this.reduction = reduction;
        this.choice = choice;
        this.pending = pending;
        int self = -1;
        for (int i = 0; i < participants.length; i++) if (participants[i] == group.jobRank()) self = i;
        me = self;
        pending.cancellation = why -> group.failing()
                .abort(new Cause(
                        Cause.Type.CANCELLED, key, label(), group.jobRank(), group.jobRank(), "cancelled it: " + why));
    }

    /** Gives the call its place among the calls of the group; a nameless one is known by its number. */
    void identify(String name, long number, long key) {
        label = new Label(signature.kind(), name, number);
        this.key = key;
        hash = Hash.of(signature.hash(), choice.name());
        began = communicator().nanoTime();
        limit = (options.deadline() == null ? communicator().config().deadline() : options.deadline()).toNanos();
        deadline = began + limit;
        nextLook = began + limit / LOOKS;
        progress = group.calls().progress();
        stallAt = began + Math.min(communicator().config().stallAfter().toNanos(), limit / 3);
        communicator().dueBy(stallAt);
    }

    void start() {
        exchange = choice.eager() ? new EagerExchange(this) : new MeshExchange(this, true);
        if (!choice.eager()) {
            agreement = new Agreement(
                    me,
                    participants.length,
                    (to, round) -> communicator()
                            .groups()
                            .note(participants[to], new Note.Agree(group.id(), key, hash, round)));
        } else {
            agreed = true;
        }
        run(() -> choice.algorithm().start(exchange));
        if (agreement == null || failure != null) return;
        agreement.start();
        checkAgreement();
    }

    /** A rank of the job says that it has made the call. */
    void agree(int from, Note.Agree note) {
        if (failure != null || exchange == null) return;
        if (note.hash() != hash) mismatch(from);
        else if (agreement != null && agreement.arrived(index(from), note.round())) checkAgreement();
    }

    private void checkAgreement() {
        if (agreed || !agreement.isDone()) return;
        agreed = true;
        exchange.release();
        if (finished) end();
    }

    /** Runs a part of the algorithm, whose failure is that of the call. */
    void run(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException | AssertionError e) {
            fault(e);
        }
    }

    void finished() {
        finished = true;
        if (agreed) end();
    }

    private void end() {
        if (failure != null) return;
        exchange.free();
        group.calls().ended(this);
        communicator().trace().ended(this);
        pending.end(null);
    }

    void fault(Throwable e) {
        if (e instanceof OxbowException o && o.code() == INVALID_ARGUMENT) {
            int me = group.jobRank();
            group.failing()
                    .abort(new Cause(Cause.Type.MISMATCH, key, label(), me, o.rank() < 0 ? me : o.rank(), o.text()));
            return;
        }
        communicator().log().warn("{} failed", this, e);
        group.failing()
                .abort(new Cause(Cause.Type.FAULT, key, label(), group.jobRank(), group.jobRank(), "failed: " + e));
    }

    void mismatch(int rank) {
        group.failing()
                .abort(new Cause(
                        Cause.Type.MISMATCH,
                        key,
                        label(),
                        group.jobRank(),
                        rank,
                        "called it differently from rank " + group.jobRank()));
    }

    void messageFailed(int rank, OxbowException error) {
        OxbowException loss = communicator().mesh().loss(rank);
        if (loss != null) group.failing().abortLost(this, rank, loss);
        else if (error.code() == INVALID_ARGUMENT) mismatch(rank);
        else if (error.code() == DEADLINE_EXCEEDED) group.failing().abort(tooLate());
        else fault(error);
    }

    private Cause tooLate() {
        int other = signature.kind() == Kind.POINT_TO_POINT ? participants[1 - me] : -1;
        String time = Words.seconds(limit) + (extended ? " of the last byte" : "");
        return new Cause(Cause.Type.DEADLINE, key, label(), group.jobRank(), other, time);
    }

    /** A participant is gone; unless the call ends soon without it, it fails. */
    void lostPeer(int rank) {
        if (lost >= 0 || index(rank) < 0) return;
        lost = rank;
        lossDue = communicator().nanoTime() + communicator().config().grace().toNanos();
        communicator().dueBy(lossDue);
    }

    /** Looks at the clock: fails the call when its time is over, and reports it once when it stalls. */
    void look(long now) {
        if (now >= nextLook) extend(now);
        if (now >= deadline) {
            group.failing().abort(tooLate());
        } else if (now >= lossDue) {
            group.failing().abortLost(this, lost, communicator().mesh().loss(lost));
        } else {
            if (now >= stallAt && !reported) {
                reported = true;
                group.calls().reportStall(this, now - began);
            }
            communicator().dueBy(Math.min(lossDue, Math.min(nextLook, deadline)));
            if (!reported) communicator().dueBy(stallAt);
        }
    }

    /** Moves the deadline where something has moved since the last look. */
    private void extend(long now) {
        nextLook = now + limit / LOOKS;
        if (options.deadline() != null || choice.eager() || !agreed || exchange == null) return;
        long seen = group.calls().progress() + exchange.moved();
        if (seen == progress) return;
        progress = seen;
        extended = now + limit > deadline;
        deadline = now + limit;
        exchange.prolong(messageDeadline());
    }

    /** Stops everything; the handle ends at {@link #fail}. */
    void stop(OxbowException why) {
        if (failure != null) return;
        failure = why;
        if (exchange != null) exchange.stop(why);
    }

    /** Ends the handle once the memory of the call is no longer used, or after a grace time. */
    void fail(OxbowException error) {
        failure = error;
        if (exchange == null || exchange.isIdle()) settled();
        else communicator().settle(this);
    }

    /** The last message has ended after the call had failed. */
    void settled() {
        if (group.error() == null || pending.isDone()) {
            if (pending.isDone() && exchange != null) exchange.free();
            return;
        }
        if (exchange != null && exchange.isIdle()) exchange.free();
        communicator().trace().ended(this);
        pending.end(failure);
    }

    /** Ends the handle although a peer may still read memory of the call: that peer does not answer. */
    void giveUp() {
        pending.end(failure);
    }

    int[] waitsFor() {
        if (exchange == null) return new int[0];
        if (!agreed) return new int[] {participants[agreement.waitsFor()]};
        return exchange.waitsFor();
    }

    private int index(int rank) {
        for (int i = 0; i < participants.length; i++) if (participants[i] == rank) return i;
        return -1;
    }

    Label name() {
        return label;
    }

    String label() {
        return label.toString();
    }

    Communicator communicator() {
        return group.communicator();
    }

    Group group() {
        return group;
    }

    Signature signature() {
        return signature;
    }

    Options options() {
        return options;
    }

    Choice choice() {
        return choice;
    }

    Pending pending() {
        return pending;
    }

    DType dtype() {
        return dtype;
    }

    Reduction reduction() {
        return reduction;
    }

    int me() {
        return me;
    }

    int size() {
        return participants.length;
    }

    int participant(int index) {
        return participants[index];
    }

    int[] participants() {
        return participants;
    }

    long key() {
        return key;
    }

    long hash() {
        return hash;
    }

    long tag(int slot) {
        return Hash.of(key, slot);
    }

    long began() {
        return began;
    }

    /** Messages live a little longer than the call, whose end says more. */
    long messageDeadline() {
        return deadline + 4 * communicator().config().grace().toNanos();
    }

    void count(long sent) {
        bytes += sent;
    }

    long bytesSent() {
        return bytes;
    }

    OxbowException failure() {
        return failure;
    }

    @Override
    public String toString() {
        return label() + " of group " + group.name() + " " + Arrays.toString(participants);
    }
}
