package dev.oxbow.collective.failure;

import java.util.HashMap;
import java.util.Map;

/** Asks the members of a group what keeps a call from ending. */
public final class StallReport {
    private static final int MANY = 64;

    private final Members group;
    private final String label;
    private final long waited;
    private final long key;
    private final Map<Integer, Status> answers = new HashMap<>();
    private final int[] asked;
    private final long due;

    /** About a call with these participants that has waited so many nanoseconds; {@code own} is what this rank says of it. */
    public StallReport(Members group, String label, int[] participants, long waited, Status own) {
        this.group = group;
        this.label = label;
        this.waited = waited;
        key = own.key();
        answers.put(own.rank(), own);
        asked = participants.length <= MANY ? participants : new int[] {group.me()};
        due = group.nanoTime() + group.graceNanos();
    }

    public void start() {
        group.dueBy(due);
        for (int m : asked) group.tell(m, new Note.Ask(group.id(), key));
    }

    public long key() {
        return key;
    }

    public void answered(Status status) {
        if (status.key() == key) answers.put(status.rank(), status);
    }

    /** Whether all have answered, or had the time to. */
    public boolean isComplete(long now) {
        if (now >= due || answers.size() >= asked.length) return true;
        group.dueBy(due);
        return false;
    }

    public String text() {
        return "%s of group %s has been waiting for %s: %s"
                .formatted(label, group.name(), Words.seconds(waited), Verdict.stall(asked, answers));
    }
}
