package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A card among those of other processes. */
final class NcclMember implements Fabric.Member {

    /*
     * NCCL frees a communicator in the call that aborts it, so nobody may ask for its state at the same time: calls of it are under
     * this object's lock, and return at once, but for that one, which comes last. It waits for kernels that wait for others, and
     * closing waits for graphs that hold some, so both have threads of their own.
     */

    private static final Logger log = LoggerFactory.getLogger(NcclMember.class);

    /** The longest that ranks take to meet over links that are used for the first time. */
    private static final Duration MOST_MEETING = Duration.ofSeconds(120);

    private static final Duration MOST_LEAVING = Duration.ofSeconds(2);

    private final Card card;
    private final long aside;
    private final long token;

    /** Null where there are no other ranks to tell. */
    private final FarFaults faults;

    private long communicator;
    private volatile OxbowException aborted;

    /** Rank {@code rank} of {@code size} on an engine's card, whose context must be entered. */
    NcclMember(Card card, long communicator, int rank, int size) {
        this.card = card;
        this.communicator = communicator;
        this.aside = Driver.stream();
        this.token = card.cell(this);
        this.faults = size == 1 ? null : new FarFaults(card, token + 16, rank);
    }

    @Override
    public boolean isReady() {
        return state() == Nccl.SUCCESS;
    }

    private int state() {
        if (aborted != null) throw aborted.rethrown();
        synchronized (this) {
            if (communicator == 0) return Nccl.IN_PROGRESS;
            int state = Nccl.state(communicator);
            Nccl.check("a communicator", state, communicator);
            return state;
        }
    }

    @Override
    public void run(List<Fabric.Work> all) {
        if (aborted != null) throw aborted.rethrown();
        boolean sums = all.stream().anyMatch(w -> w.kind() == Fabric.Kind.ALL_REDUCE);
        if (faults == null || !sums) {
            card.commands.run(new Entry.Exchange(this, all));
            return;
        }
        List<Fabric.Work> more = new ArrayList<>(all);
        more.add(faults.work());
        faults.say();
        card.commands.run(new Entry.Exchange(this, List.copyOf(more)));
        faults.hear();
    }

    /** Puts it into a stream, or has it noted there. */
    void issue(List<Fabric.Work> all, long stream) {
        synchronized (this) {
            if (communicator == 0) throw gone();
            Nccl.run(communicator, all, stream);
        }
        long start = System.nanoTime();
        while (state() == Nccl.IN_PROGRESS) { // the first of a kind meets the others
            if (isGone()) throw gone();
            Thread.onSpinWait();
            if (System.nanoTime() - start > MOST_MEETING.toNanos())
                throw new OxbowException(
                        DEADLINE_EXCEEDED, "NCCL: ranks have not met within %s".formatted(MOST_MEETING));
        }
    }

    private synchronized boolean isGone() {
        return communicator == 0;
    }

    /** Why there is no communicator any more. */
    private OxbowException gone() {
        OxbowException why = aborted;
        return why != null ? why.rethrown() : new OxbowException(CANCELLED, "NCCL: this rank has left the others");
    }

    /** What stands for the communicator among memory that is touched: what it does keeps its order. */
    long token() {
        return token;
    }

    @Override
    public Fabric.Mark mark() {
        return card.space.lateMark();
    }

    @Override
    public void abort(OxbowException why, boolean told) {
        if (aborted != null) return;
        aborted = why;
        aside("aborts", () -> {
            if (told) card.faults.raise(why, aside);
            synchronized (this) {
                if (communicator != 0) Nccl.abort(communicator);
                communicator = 0;
            }
        });
    }

    @Override
    public void close() {
        Thread leaving = aside("leaves", () -> {
            long left;
            synchronized (this) {
                left = communicator;
                communicator = 0;
            }
            if (left == 0) return;
            int status = Nccl.finish(left);
            while (status == Nccl.IN_PROGRESS) {
                Thread.onSpinWait();
                status = Nccl.state(left);
            }
            if (status == Nccl.SUCCESS) Nccl.destroy(left);
            else Nccl.abort(left);
        });
        try {
            if (!leaving.join(MOST_LEAVING)) log.info("{}: graphs hold on to NCCL's communicator", card);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Thread aside(String does, Runnable work) {
        return Thread.ofPlatform().daemon().name("oxbow-nccl-" + does).start(() -> {
            if (card.isLost()) return; // with all that was there
            card.enter();
            work.run();
        });
    }
}
