package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.collective.failure.Cause;
import dev.oxbow.collective.failure.Note;
import dev.oxbow.collective.failure.NoteWriter;
import dev.oxbow.collective.failure.StallReport;
import dev.oxbow.collective.failure.Status;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls of one group that are under way on this rank. One thread at a time. */
final class Calls {
    private static final int REMEMBERED = 1024;
    /** Notes about calls that this rank has not made yet; a peer that is further ahead than this has lost its way. */
    private static final int MAX_EARLY = 1 << 18;
    /** Names are for calls that come again. */
    private static final int MAX_NAMES = 1 << 20;

    private record Early(int from, Note.Agree note) {}

    private final Group group;
    private final Communicator communicator;
    private final Failing failing;
    private final Map<Long, Call> running = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private final Occurrences occurrences = new Occurrences(MAX_NAMES);
    /** The keys of the last calls that ended, in a circle. */
    private final long[] finished = new long[REMEMBERED];

    private final Map<Long, List<Early>> early = new HashMap<>();
    private final AtomicInteger subgroups = new AtomicInteger();
    private final List<StallReport> reports = new ArrayList<>();
    private int ended;
    private int earlyNotes;
    private long progress;
    private long nameless;
    private Pending closing;
    private boolean agreedToClose;

    Calls(Group group) {
        this.group = group;
        communicator = group.communicator();
        failing = new Failing(group, this);
    }

    void begin(Call call) {
        if (refuse(call, closing != null)) return;
        String name = call.options().name(), counted = counted(call);
        long number = counted.isEmpty() ? nameless++ : occurrences.next(counted);
        call.identify(name, number, Hash.of(Hash.of(group.id(), counted), number));
        if (number < 0) {
            int me = communicator.rank();
            String text = "gave it more than %,d names; calls that do not come again need none".formatted(MAX_NAMES);
            open(call);
            failing.abort(new Cause(Cause.Type.FAULT, call.key(), call.label(), me, me, text));
        } else if (name != null && !call.choice().mayMeetItself() && !names.add(counted)) {
            long before = Hash.of(Hash.of(group.id(), counted), number - 1);
            open(call);
            int me = communicator.rank();
            failing.abort(new Cause(
                    Cause.Type.DUPLICATE, before, call.label(), me, me, "called it again while it was still running"));
        } else {
            start(call);
        }
    }

    /** Begins a call that follows from another one and has been identified. */
    void follow(Call call) {
        if (!refuse(call, false)) start(call);
    }

    /** A message of some call has ended well, or an algorithm has done some of its work. */
    void moved() {
        progress++;
    }

    /** How often that was. */
    long progress() {
        return progress;
    }

    private void open(Call call) {
        if (running.put(call.key(), call) == null) communicator.open(1);
    }

    /** Ends the group when all members have called this and nothing is under way. */
    void close(Call call, Pending done) {
        if (failing.error() != null && closing == null) {
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
        if (!running.isEmpty() || failing.error() != null) return;
        group.cards().close(); // in order, as nothing has failed
        failing.closed(closedHere());
        free();
        communicator.groups().remove(group);
        closing.end(null);
    }

    /** Why no call may be made any more since this rank has called close, or null. */
    OxbowException closed() {
        return closing == null ? null : closedHere();
    }

    private OxbowException closedHere() {
        return new OxbowException(FAILED_PRECONDITION, "rank %d has closed it".formatted(communicator.rank()));
    }

    void free() {
        names.clear();
        occurrences.clear();
        early.clear();
        reports.clear();
        group.residuals().close();
        group.cards().close();
    }

    private boolean refuse(Call call, boolean late) {
        if (communicator.isClosed()) {
            call.pending().end(failing.closedAll());
        } else if (failing.error() != null || late) {
            OxbowException why = failing.error() != null ? failing.error() : closedHere();
            call.pending()
                    .end(new OxbowException(
                                    FAILED_PRECONDITION,
                                    "group %s can not be used any more: %s".formatted(group.name(), why.getMessage()),
                                    why)
                            .by(why.rank()));
        } else {
            return false;
        }
        return true;
    }

    private void start(Call call) {
        open(call);
        if (!failing.admits(call)) return;
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
        failing.ended(call);
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

    void note(int from, Note note) {
        if (note instanceof Note.Agree a) agree(from, a);
        else failing.note(from, note);
    }

    private void agree(int from, Note.Agree note) {
        Call call = running.get(note.key());
        if (call != null) {
            call.agree(from, note);
        } else if (failing.error() != null) {
            failing.note(from, note);
        } else {
            if (++earlyNotes > MAX_EARLY) {
                int me = communicator.rank();
                String text = "is %,d notes ahead of rank %d".formatted(MAX_EARLY, me);
                failing.abort(new Cause(Cause.Type.FAULT, note.key(), "a call", me, from, text));
                return;
            }
            early.computeIfAbsent(note.key(), _ -> new ArrayList<>(4)).add(new Early(from, note));
        }
    }

    void look(long now) {
        for (Call c : List.copyOf(running.values())) if (!failing.hasBegun()) c.look(now);
        reports.removeIf(r -> isSaid(r, now));
        failing.look(now);
    }

    void reportStall(Call call, long waited) {
        StallReport report =
                new StallReport(failing, call.label(), call.participants(), waited, status(call.key(), null));
        reports.add(report);
        report.start();
    }

    private boolean isSaid(StallReport report, long now) {
        if (!report.isComplete(now)) return false;
        if (running.containsKey(report.key())) {
            communicator.log().warn(report.text());
            communicator.config().stalls().accept(report.text());
        }
        return true;
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
        return new Status(key, communicator.rank(), state, fields, keys, inside, waits, failing.lostMembers(), cause);
    }

    /** A member tells of a call that this rank has asked about. */
    void answered(Status status) {
        for (StallReport r : reports) r.answered(status);
        communicator.dueBy(communicator.nanoTime());
    }

    boolean takesPart(long key, int rank) {
        Call call = running.get(key);
        return call == null || Arrays.stream(call.participants()).anyMatch(p -> p == rank);
    }

    boolean isIdle() {
        return running.isEmpty();
    }

    List<Call> running() {
        return List.copyOf(running.values());
    }

    /** Stops all calls; they end with {@link #fail}. */
    void stop(OxbowException why) {
        running().forEach(c -> c.stop(why));
    }

    /** Ends all calls: the one of this key with the error itself, the others since the group has failed. */
    void fail(OxbowException why, long key) {
        stop(why);
        List<Call> failed = running();
        communicator.open(-failed.size());
        running.clear();
        free();
        if (closing != null) closing.end(why);
        for (Call c : failed) {
            String text = "%s of group %s: the group failed: %s".formatted(c.label(), group.name(), why.getMessage());
            c.fail(c.key() == key ? why : new OxbowException(ABORTED, text).by(why.rank()));
        }
    }

    Failing failing() {
        return failing;
    }
}
