package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.collective.failure.Cause;
import dev.oxbow.collective.failure.Inquest;
import dev.oxbow.collective.failure.Members;
import dev.oxbow.collective.failure.Note;
import dev.oxbow.collective.failure.Reform;
import dev.oxbow.collective.failure.Reprieve;
import dev.oxbow.collective.failure.Status;
import dev.oxbow.collective.failure.Verdict;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** How a group fails, and what becomes of it then. One thread at a time. */
final class Failing implements Members {
    private final Group group;
    private final Communicator communicator;
    private final Calls calls;
    private final Map<Integer, Note.Join> earlyJoins = new HashMap<>();
    private final TreeSet<Integer> lost = new TreeSet<>();
    private final AtomicInteger users = new AtomicInteger();
    private final List<Runnable> listeners = new ArrayList<>();
    private int reforms;
    private Inquest inquest;
    private Reprieve reprieve;
    private Reform reform;
    private Note.Sentence sentence;
    private volatile boolean begun;
    private volatile OxbowException error;

    Failing(Group group, Calls calls) {
        this.group = group;
        this.calls = calls;
        communicator = group.communicator();
    }

    void note(int from, Note note) {
        switch (note) {
            case Note.Agree _ -> {
                if (sentence != null) tell(from, sentence); // it does not know yet
            }
            case Note.Abort(long _, Cause cause) -> {
                if (sentence != null) tell(from, sentence);
                else heard(quitter(cause), () -> abort(cause));
            }
            case Note.Ask(long _, long key) -> tell(from, new Note.Answered(group.id(), true, calls.status(key, null)));
            case Note.Answered(long _, boolean asked, Status status) -> answered(from, asked, status);
            case Note.Sentence s -> heard(s.code() == CANCELLED ? s.culprit() : -1, () -> fail(s));
            case Note.Join join -> {
                if (reform != null && !reform.isOver()) reform.joined(from, join);
                else earlyJoins.put(from, join);
            }
            case Note.Form form -> {
                if (reform != null) reform.formed(form);
            }
        }
    }

    private void answered(int from, boolean asked, Status status) {
        if (asked) {
            if (reprieve != null) {
                reprieve.answered(status);
                endReprieve();
            }
            calls.answered(status);
        } else if (sentence != null) {
            tell(from, sentence);
        } else {
            Cause cause = status.cause();
            heard(cause == null ? -1 : quitter(cause), () -> {
                if (inquest == null && cause != null) abort(cause);
                if (inquest != null && error == null) inquest.answered(status);
            });
        }
    }

    private static int quitter(Cause cause) {
        return cause.type() == Cause.Type.CANCELLED ? cause.culprit() : -1;
    }

    /** Ends the group, which a rank has given up or -1, after the calls which that rank has ended. */
    private void heard(int quitter, Runnable end) {
        boolean isKnown = inquest != null || error != null || quitter < 0 || quitter == communicator.rank();
        if (reprieve == null && (isKnown || isLost(quitter) || calls.isIdle() && users.get() == 0)) {
            end.run();
            return;
        }
        begun = true;
        if (reprieve == null) {
            reprieve = new Reprieve(this, quitter);
            calls.running().forEach(c -> reprieve.ask(c.key()));
        }
        reprieve.add(end);
        endReprieve();
    }

    private void endReprieve() {
        Reprieve over = reprieve;
        if (over == null || !isLost(over.quitter()) && inquest == null && !over.isOver(users.get() > 0)) return;
        reprieve = null;
        over.end().forEach(Runnable::run);
    }

    /** Somebody uses the group between its calls from now on, or does no longer. */
    void use(int more) {
        if (users.addAndGet(more) == 0 && begun) communicator.submit(this::endReprieve);
    }

    /** What a member wants that can not go on. */
    void abort(String why) {
        int me = communicator.rank();
        if (communicator.isClosed()) doom(closedAll());
        else abort(new Cause(Cause.Type.CANCELLED, 0, "a step", me, me, "failed in it: " + why));
    }

    void whenFailed(Runnable callback) {
        if (error != null) communicator.later(callback);
        else listeners.add(callback);
    }

    /** Why nothing goes on when the communicator has been closed. */
    OxbowException closedAll() {
        return new OxbowException(
                FAILED_PRECONDITION, "rank %d has closed its communicator".formatted(communicator.rank()));
    }

    void abort(Cause cause) {
        if (inquest != null || error != null) return;
        begun = true;
        inquest = new Inquest(this, cause, calls.status(cause.key(), cause));
        calls.stop(new OxbowException(CANCELLED, "group " + group.name() + " was aborted"));
        communicator.forget(group); // so that answers come through links which it holds back
        inquest.start();
        endReprieve();
    }

    void abortLost(Call call, int rank, OxbowException loss) {
        abort(Cause.lost(call.key(), call.label(), communicator.rank(), rank, loss));
    }

    /** All calls of the group end with one error. */
    @Override
    public void fail(Note.Sentence verdict) {
        if (error != null) return;
        sentence = verdict;
        if (verdict.culprit() >= 0) communicator.blame(verdict.culprit());
        end(new OxbowException(verdict.code(), verdict.text()).by(verdict.culprit()), verdict.key());
    }

    private void end(OxbowException why, long key) {
        error = why;
        communicator.forget(group);
        listeners.forEach(communicator::later);
        listeners.clear();
        calls.fail(why, key);
    }

    /** The group was never agreed on. */
    void doom(OxbowException why) {
        if (error == null) end(why, 0);
    }

    /** The communicator closes: others hear why the calls of this rank do not go on. */
    void close() {
        int me = communicator.rank();
        if (error != null) return;
        if (calls.isIdle() && inquest == null) {
            calls.free();
            return;
        }
        if (inquest == null) {
            Call first = calls.running().getFirst();
            Cause cause =
                    new Cause(Cause.Type.CANCELLED, first.key(), first.label(), me, me, "closed its communicator");
            inquest = new Inquest(this, cause, calls.status(cause.key(), cause));
            for (int m : group.members()) tell(m, new Note.Abort(group.id(), cause));
        }
        fail(Verdict.of(group.id(), group.name(), group.members(), List.of(inquest.cause()), Map.of()));
    }

    void lost(int rank) {
        if (!isMember(rank)) return;
        lost.add(rank);
        calls.running().forEach(c -> c.lostPeer(rank));
        if (inquest != null && error == null) inquest.lost(rank);
        endReprieve();
        earlyJoins.remove(rank);
        if (reform != null) reform.lost(rank);
    }

    private boolean isMember(int rank) {
        for (int m : group.members()) if (m == rank) return true;
        return false;
    }

    void reform(PendingGroup pending, Duration timeout) {
        int me = communicator.rank();
        OxbowException closed = calls.closed();
        if (closed != null) {
            pending.end(new OxbowException(
                    FAILED_PRECONDITION,
                    "group %s can not be reformed: %s".formatted(group.name(), closed.getMessage())));
            return;
        }
        if (error == null && inquest == null)
            abort(new Cause(Cause.Type.CANCELLED, 0, "reform", me, me, "called reform"));
        if (reform != null && !reform.isOver()) {
            pending.end(new OxbowException(
                    FAILED_PRECONDITION, "group %s is being reformed already".formatted(group.name())));
            return;
        }
        reform = new Reform(this, new Survivors(pending), timeout);
        reform.start();
        Map<Integer, Note.Join> joins = new HashMap<>(earlyJoins);
        earlyJoins.clear();
        joins.forEach(reform::joined);
    }

    private final class Survivors implements Reform.Former {
        private final PendingGroup pending;

        Survivors(PendingGroup pending) {
            this.pending = pending;
        }

        @Override
        public void form(int[] members, int attempt, Duration timeout, Consumer<OxbowException> end) {
            long id = Hash.of(Hash.of(group.id(), members), attempt);
            Group formed = communicator.groups().form(id, group.name() + "'".repeat(++reforms), members);
            Pending barrier = formed.barrier(Options.DEFAULT.withName("reform").withDeadline(timeout));
            barrier.whenDone(error -> {
                end.accept(error);
                if (error == null) pending.formed(formed);
            });
        }

        @Override
        public void giveUp(OxbowException why) {
            pending.end(why);
        }
    }

    void look(long now) {
        if (inquest != null && error == null) inquest.look(now);
        if (reform != null) reform.look(now);
    }

    /** Whether a call that has been opened may run; else it waits for the sentence, or has aborted the group. */
    boolean admits(Call call) {
        if (inquest != null) {
            inquest.update(calls.status(inquest.cause().key(), inquest.cause()));
            return false;
        }
        for (int p : call.participants()) {
            if (!lost.contains(p)) continue;
            abortLost(call, p, communicator.mesh().loss(p));
            return false;
        }
        if (reprieve != null) reprieve.ask(call.key());
        return true;
    }

    void ended(Call call) {
        if (reprieve == null) return;
        reprieve.ended(call.key());
        communicator.submit(this::endReprieve);
    }

    /** All members have closed the group. */
    void closed(OxbowException why) {
        error = why;
    }

    boolean hasBegun() {
        return inquest != null;
    }

    @Override
    public long id() {
        return group.id();
    }

    @Override
    public String name() {
        return group.name();
    }

    @Override
    public int[] members() {
        return group.members();
    }

    @Override
    public int me() {
        return communicator.rank();
    }

    @Override
    public int position() {
        return group.rank();
    }

    @Override
    public OxbowException loss(int rank) {
        return communicator.mesh().loss(rank, communicator.config().grace());
    }

    @Override
    public boolean takesPart(long key, int rank) {
        return calls.takesPart(key, rank);
    }

    @Override
    public boolean hasFailed() {
        return error != null;
    }

    @Override
    public long nanoTime() {
        return communicator.nanoTime();
    }

    @Override
    public long graceNanos() {
        return communicator.config().grace().toNanos();
    }

    @Override
    public void dueBy(long time) {
        communicator.dueBy(time);
    }

    @Override
    public int[] lostMembers() {
        return lost.stream().mapToInt(r -> r).toArray();
    }

    @Override
    public boolean isLost(int rank) {
        return lost.contains(rank);
    }

    @Override
    public void tell(int rank, Note note) {
        if (rank != communicator.rank()) communicator.groups().note(rank, note);
    }

    OxbowException error() {
        return error;
    }

    /** It is going to fail. */
    void begin() {
        begun = true;
    }

    boolean isUsable() {
        return !begun && error == null;
    }
}
