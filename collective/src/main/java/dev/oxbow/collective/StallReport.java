package dev.oxbow.collective;

import java.util.HashMap;
import java.util.Map;

/** Asks the members of a group what keeps a call from ending, and says it once. */
final class StallReport {
    private static final int MANY = 64;

    private final Group group;
    private final Call call;
    private final long waited;
    private final Map<Integer, Status> answers = new HashMap<>();
    private final int[] asked;
    private final long due;

    StallReport(Group group, Call call, long waited) {
        this.group = group;
        this.call = call;
        this.waited = waited;
        asked = call.size() <= MANY ? call.participants() : new int[] {group.jobRank()};
        due = group.communicator().nanoTime()
                + group.communicator().config().grace().toNanos();
    }

    void start() {
        group.communicator().dueBy(due);
        for (int m : asked) group.failing().tell(m, new Note.Ask(group.id(), call.key()));
        Status own = group.calls().status(call.key(), null);
        answers.put(own.rank(), own);
    }

    void answered(Status status) {
        if (status.key() == call.key()) answers.put(status.rank(), status);
    }

    /** Whether everything is said. */
    boolean look(long now) {
        if (now < due && answers.size() < asked.length) {
            group.communicator().dueBy(due);
            return false;
        }
        if (!call.pending().isDone()) {
            String text = "%s of group %s has been waiting for %s: %s"
                    .formatted(call.label(), group.name(), Words.seconds(waited), Verdict.stall(asked, answers));
            group.communicator().log().warn(text);
            group.communicator().config().stalls().accept(text);
        }
        return true;
    }
}
