package dev.oxbow.collective;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds, together with the other survivors, the one error of a group that was aborted. */
final class Inquest {

    /*
     * Everybody tells its state to one judge, the lowest rank that is not known to be gone; the judge finds the sentence
     * when all have answered or half a grace time has passed, and tells it to all, who take it word by word. If no
     * sentence comes within a grace time the judge is taken for gone and the next one is told; after three of them a rank
     * judges alone. The news itself spreads from neighbour to neighbour: to everybody in small groups, to the ranks at
     * distances of powers of two in large ones.
     */

    private static final int SMALL = 16;
    private static final int ATTEMPTS = 3;

    private final Group group;
    private final Cause cause;
    private final Map<Integer, Status> answers = new HashMap<>();
    private final Set<Integer> silent = new HashSet<>();
    private int judge = -1;
    private int attempt;
    private long due;

    /** An inquest that begins now; {@code own} is the state of this rank before its calls were stopped. */
    Inquest(Group group, Cause cause, Status own) {
        this.group = group;
        this.cause = cause;
        answers.put(own.rank(), own);
    }

    Cause cause() {
        return cause;
    }

    void start() {
        int[] members = group.members();
        Note.Abort news = new Note.Abort(group.id(), cause);
        int n = members.length, me = group.rank();
        if (n <= SMALL) {
            for (int m : members) group.failing().tell(m, news);
        } else {
            for (int distance = 1; distance < n; distance *= 2) {
                group.failing().tell(members[(me + distance) % n], news);
                group.failing().tell(members[Math.floorMod(me - distance, n)], news);
            }
        }
        findJudge();
    }

    /** A member tells its state. */
    void answered(Status status) {
        answers.put(status.rank(), status);
        judgeIfComplete();
    }

    /** This rank has made a call since; others may want to know how. */
    void update(Status own) {
        answers.put(own.rank(), own);
        if (judge != group.jobRank()) group.failing().tell(judge, new Note.Answered(group.id(), false, own));
        judgeIfComplete();
    }

    void lost(int rank) {
        if (rank == judge) findJudge();
        else judgeIfComplete();
    }

    void look(long now) {
        if (now < due) {
            group.communicator().dueBy(due);
        } else if (judge == group.jobRank()) {
            pronounce();
        } else {
            silent.add(judge);
            if (++attempt < ATTEMPTS) findJudge();
            else pronounce();
        }
    }

    private void findJudge() {
        int me = group.jobRank();
        judge = me;
        for (int m : group.members()) {
            if (m == me || !group.failing().isLost(m) && !silent.contains(m) && !isLeaving(m)) {
                judge = m;
                break;
            }
        }
        long grace = group.communicator().config().grace().toNanos();
        due = group.communicator().nanoTime() + (judge == me ? grace / 2 : grace);
        group.communicator().dueBy(due);
        if (judge != me) group.failing().tell(judge, new Note.Answered(group.id(), false, answers.get(me)));
        else judgeIfComplete();
    }

    private boolean isLeaving(int rank) {
        return rank == cause.culprit() && (cause.type() == Cause.Type.LOST || cause.type() == Cause.Type.CANCELLED);
    }

    private void judgeIfComplete() {
        if (judge != group.jobRank() || group.error() != null) return;
        for (int m : group.members()) {
            Status s = answers.get(m);
            if (s == null && !group.failing().isLost(m)) return;
            if (s != null && cause.type() == Cause.Type.MISMATCH && s.state() == Status.State.NOT_CALLED) return;
        }
        pronounce();
    }

    /** The cause, and the members that this rank has lost as well: a host may have gone with all its ranks. */
    private List<Cause> noticed() {
        List<Cause> all = new ArrayList<>();
        all.add(cause);
        if (cause.type() != Cause.Type.LOST) return all;
        for (int m : group.failing().lostMembers()) {
            if (m == cause.culprit() || answers.containsKey(m) || !group.calls().takesPart(cause.key(), m)) continue;
            OxbowException loss = group.communicator().mesh().loss(m);
            all.add(Cause.lost(cause.key(), cause.label(), group.jobRank(), m, loss));
        }
        return all;
    }

    private void pronounce() {
        if (group.error() != null) return;
        Note.Sentence sentence = Verdict.of(group.id(), group.name(), group.members(), noticed(), answers);
        Arrays.stream(group.members()).forEach(m -> group.failing().tell(m, sentence));
        group.failing().fail(sentence);
    }
}
