package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls of one group that are under way on this rank, and what becomes of them when one fails. One thread at a time. */
final class Calls {
    private static final int REMEMBERED = 1024;
    /** Notes about calls that this rank has not made yet; a peer that is further ahead than this has lost its way. */
    private static final int MAX_EARLY = 1 << 18;
    /** Names are for calls that come again. */
    private static final int MAX_NAMES = 1 << 20;

    private record Early(int from, Note.Agree note) {}

    private final Group group;
    private final Communicator communicator;
    private final Map<Long, Call> running = new LinkedHashMap<>();
    private final Set<String> names = new java.util.HashSet<>();
    private final Occurrences occurrences = new Occurrences(MAX_NAMES);
    /** The keys of the last calls that ended, in a circle. */
    private final long[] finished = new long[REMEMBERED];

    private final Map<Long, List<Early>> early = new HashMap<>();
    private final Map<Integer, Note.Join> earlyJoins = new HashMap<>();
    private final TreeSet<Integer> lost = new TreeSet<>();
    private final AtomicInteger subgroups = new AtomicInteger();
    private final AtomicInteger users = new AtomicInteger();
    private final List<StallReport> reports = new ArrayList<>();
    private final List<Runnable> listeners = new ArrayList<>();
    private int ended;
    private int earlyNotes;
    private long nameless;
    private int reforms;
    private Pending closing;
    private boolean agreedToClose;
    private Inquest inquest;
    private Reprieve reprieve;
    private Reform reform;
    private Note.Sentence sentence;
    private volatile boolean failing;
    private volatile OxbowException error;

    Calls(Group group) {
        this.group = group;
        communicator = group.communicator();
    }

    // ---- calls

    void begin(Call call) {
        if (refuse(call, closing != null)) return;
        String name = call.options().name(), counted = counted(call);
        long number = counted.isEmpty() ? nameless++ : occurrences.next(counted);
        call.identify(name, number, Hash.of(Hash.of(group.id(), counted), number));
        if (number < 0) {
            int me = communicator.rank();
            String text = "gave it more than %,d names; calls that do not come again need none".formatted(MAX_NAMES);
            open(call);
            abort(new Cause(Cause.Type.FAULT, call.key(), call.label(), me, me, text));
        } else if (name != null && !names.add(counted)) {
            long before = Hash.of(Hash.of(group.id(), counted), number - 1);
            open(call);
            int me = communicator.rank();
            abort(new Cause(
                    Cause.Type.DUPLICATE, before, call.label(), me, me, "called it again while it was still running"));
        } else {
            start(call);
        }
    }

    /** Begins a call that follows from another one and has been identified. */
    void follow(Call call) {
        if (!refuse(call, false)) start(call);
    }

    private void open(Call call) {
        if (running.put(call.key(), call) == null) communicator.open(1);
    }

    /** Ends the group when all members have called this and nothing is under way. */
    void close(Call call, Pending done) {
        if (error != null && closing == null) {
            done.end(null);
            return;
        }
        if (refuse(call, closing != null)) {
            done.end(call.pending().error());
            return;
        }
        begin(call);
        closing = done;
        call.pending().whenDone(failure -> {
            agreedToClose = failure == null;
            if (failure != null) done.end(failure);
            else closeIfIdle();
        });
    }

    private void closeIfIdle() {
        if (!running.isEmpty() || error != null) return;
        error = closed();
        free();
        communicator.remove(group);
        closing.end(null);
    }

    private OxbowException closed() {
        return new OxbowException(FAILED_PRECONDITION, "rank %d has closed it".formatted(communicator.rank()));
    }

    private void free() {
        names.clear();
        occurrences.clear();
        early.clear();
        reports.clear();
        group.residuals().close();
    }

    private boolean refuse(Call call, boolean late) {
        if (communicator.isClosed()) {
            call.pending().end(closedAll());
        } else if (error != null || late) {
            OxbowException why = error != null ? error : closed();
            call.pending()
                    .end(new OxbowException(
                            FAILED_PRECONDITION,
                            "group %s can not be used any more: %s".formatted(group.name(), why.getMessage()),
                            why));
        } else {
            return false;
        }
        return true;
    }

    private void start(Call call) {
        open(call);
        if (inquest != null) {
            inquest.update(status(inquest.cause().key(), inquest.cause()));
            return;
        }
        for (int rank : lost) {
            for (int p : call.participants()) {
                if (p == rank) {
                    abortLost(call, rank, communicator.mesh().loss(rank));
                    return;
                }
            }
        }
        if (reprieve != null) reprieve.ask(call.key());
        call.start();
        List<Early> notes = early.remove(call.key());
        if (notes == null) return;
        earlyNotes -= notes.size();
        for (Early e : notes) call.agree(e.from, e.note);
    }

    void ended(Call call) {
        if (running.remove(call.key()) != null) communicator.open(-1);
        if (call.options().name() != null) names.remove(counted(call));
        finished[ended++ & REMEMBERED - 1] = call.key();
        if (reprieve != null) {
            reprieve.ended(call.key());
            communicator.submit(this::endReprieve);
        }
        if (agreedToClose) communicator.submit(this::closeIfIdle); // a call that follows from this one begins first
    }

    private boolean isFinished(long key) {
        for (int i = 0; i < REMEMBERED; i++) if (finished[i] == key) return true;
        return false;
    }

    /** What a call is counted by among those of its kind: its name and, of a message, its ranks. */
    private static String counted(Call call) {
        String name = call.options().name() == null ? "" : call.options().name();
        boolean pair = call.signature().kind() == Kind.POINT_TO_POINT;
        return pair ? name + " " + call.participant(0) + " to " + call.participant(1) : name;
    }

    /** The id of a group of these ranks; asked for by callers, in the same order on all ranks. */
    long idOfNext(int[] ranks) {
        return Hash.of(Hash.of(group.id(), ranks), subgroups.incrementAndGet());
    }

    String nameOfNext() {
        return group.name() + "'".repeat(++reforms);
    }

    // ---- notes

    void note(int from, Note note) {
        switch (note) {
            case Note.Agree a -> agree(from, a);
            case Note.Abort(long _, Cause cause) -> {
                if (sentence != null) tell(from, sentence);
                else heard(quitter(cause), () -> abort(cause));
            }
            case Note.Ask(long _, long key) -> tell(from, new Note.Answered(group.id(), true, status(key, null)));
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

    private void agree(int from, Note.Agree note) {
        Call call = running.get(note.key());
        if (call != null) {
            call.agree(from, note);
        } else if (sentence != null) {
            tell(from, sentence);
        } else if (error == null) {
            if (++earlyNotes > MAX_EARLY) {
                int me = communicator.rank();
                String text = "is %,d notes ahead of rank %d".formatted(MAX_EARLY, me);
                abort(new Cause(Cause.Type.FAULT, note.key(), "a call", me, from, text));
                return;
            }
            early.computeIfAbsent(note.key(), _ -> new ArrayList<>(4)).add(new Early(from, note));
        }
    }

    private void answered(int from, boolean asked, Status status) {
        if (asked) {
            if (reprieve != null) {
                reprieve.answered(status);
                endReprieve();
            }
            for (StallReport r : reports) r.answered(status);
            communicator.dueBy(communicator.nanoTime());
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
        if (reprieve == null && (isKnown || isLost(quitter) || running.isEmpty() && users.get() == 0)) {
            end.run();
            return;
        }
        failing = true;
        if (reprieve == null) {
            reprieve = new Reprieve(group, quitter);
            running.keySet().forEach(reprieve::ask);
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
        if (users.addAndGet(more) == 0 && failing) communicator.submit(this::endReprieve);
    }

    // ---- failure

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

    private OxbowException closedAll() {
        return new OxbowException(
                FAILED_PRECONDITION, "rank %d has closed its communicator".formatted(communicator.rank()));
    }

    void abort(Cause cause) {
        if (inquest != null || error != null) return;
        failing = true;
        inquest = new Inquest(group, cause, status(cause.key(), cause));
        stopAll(new OxbowException(CANCELLED, "group " + group.name() + " was aborted"));
        communicator.forget(group); // so that answers come through links which it holds back
        inquest.start();
        endReprieve();
    }

    private void stopAll(OxbowException why) {
        for (Call c : List.copyOf(running.values())) c.stop(why);
    }

    void abortLost(Call call, int rank, OxbowException loss) {
        abort(Cause.lost(call.key(), call.label(), communicator.rank(), rank, loss));
    }

    /** All calls of the group end with one error. */
    void fail(Note.Sentence verdict) {
        if (error != null) return;
        sentence = verdict;
        if (verdict.culprit() >= 0) communicator.blame(verdict.culprit());
        end(new OxbowException(verdict.code(), verdict.text()), verdict.key());
    }

    private void end(OxbowException why, long key) {
        error = why;
        communicator.forget(group);
        stopAll(why);
        List<Call> ended = new ArrayList<>(running.values());
        communicator.open(-running.size());
        running.clear();
        free();
        if (closing != null) closing.end(why);
        listeners.forEach(communicator::later);
        listeners.clear();
        for (Call c : ended) {
            c.fail(
                    c.key() == key
                            ? why
                            : new OxbowException(
                                    ABORTED,
                                    "%s of group %s: the group failed: %s"
                                            .formatted(c.label(), group.name(), why.getMessage())));
        }
    }

    /** The group was never agreed on. */
    void doom(OxbowException why) {
        if (error == null) end(why, 0);
    }

    /** The communicator closes: others hear why the calls of this rank do not go on. */
    void close() {
        int me = communicator.rank();
        if (error != null) return;
        if (running.isEmpty() && inquest == null) {
            free();
            return;
        }
        if (inquest == null) {
            Call first = running.values().iterator().next();
            Cause cause =
                    new Cause(Cause.Type.CANCELLED, first.key(), first.label(), me, me, "closed its communicator");
            inquest = new Inquest(group, cause, status(cause.key(), cause));
            for (int m : group.members()) tell(m, new Note.Abort(group.id(), cause));
        }
        fail(Verdict.of(group.id(), group.name(), group.members(), List.of(inquest.cause()), Map.of()));
    }

    void lost(int rank) {
        if (!isMember(rank)) return;
        lost.add(rank);
        for (Call c : List.copyOf(running.values())) c.lostPeer(rank);
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
        if (closing != null) {
            pending.end(new OxbowException(
                    FAILED_PRECONDITION,
                    "group %s can not be reformed: %s".formatted(group.name(), closed().getMessage())));
            return;
        }
        if (error == null && inquest == null)
            abort(new Cause(Cause.Type.CANCELLED, 0, "reform", me, me, "called reform"));
        if (reform != null && !reform.isOver()) {
            pending.end(new OxbowException(
                    FAILED_PRECONDITION, "group %s is being reformed already".formatted(group.name())));
            return;
        }
        reform = new Reform(group, pending, timeout);
        reform.start();
        Map<Integer, Note.Join> joins = new HashMap<>(earlyJoins);
        earlyJoins.clear();
        joins.forEach(reform::joined);
    }

    // ---- the clock, and what others want to know

    void look(long now) {
        for (Call c : List.copyOf(running.values())) if (inquest == null) c.look(now);
        reports.removeIf(r -> r.look(now));
        if (inquest != null && error == null) inquest.look(now);
        if (reform != null) reform.look(now);
    }

    void reportStall(Call call, long waited) {
        StallReport report = new StallReport(group, call, waited);
        reports.add(report);
        report.start();
    }

    Status status(long key, Cause cause) {
        Call call = running.get(key);
        Status.State state =
                call != null ? Status.State.RUNNING : isFinished(key) ? Status.State.FINISHED : Status.State.NOT_CALLED;
        String inside = "";
        int[] waits = {};
        if (call != null) {
            waits = call.waitsFor();
        } else if (!running.isEmpty()) {
            Call first = running.values().iterator().next();
            inside = first.label();
            waits = first.waitsFor();
        }
        List<String> fields = call == null ? List.of() : call.signature().fields();
        long[] keys = running.keySet().stream()
                .limit(NoteWriter.MAX_CALLS)
                .mapToLong(k -> k)
                .toArray();
        return new Status(key, communicator.rank(), state, fields, keys, inside, waits, lostMembers(), cause);
    }

    int[] lostMembers() {
        return lost.stream().mapToInt(r -> r).toArray();
    }

    /** Whether a member takes part in a call, as far as this rank knows. */
    boolean takesPart(long key, int rank) {
        Call call = running.get(key);
        return call == null || Arrays.stream(call.participants()).anyMatch(p -> p == rank);
    }

    boolean isLost(int rank) {
        return lost.contains(rank);
    }

    void tell(int rank, Note note) {
        if (rank != communicator.rank()) communicator.note(rank, note);
    }

    OxbowException error() {
        return error;
    }

    /** It is going to fail. */
    void failing() {
        failing = true;
    }

    boolean isUsable() {
        return !failing && error == null;
    }
}
