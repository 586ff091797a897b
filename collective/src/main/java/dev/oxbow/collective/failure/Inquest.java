package dev.oxbow.collective.failure;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds, together with the other survivors, the one error of a group that was aborted. */
public final class Inquest {

    /*
     * Everybody tells its state to one judge, the lowest rank that is not known to be gone; the judge finds the sentence
     * when all have answered or half a grace time has passed, and tells it to all, who take it word by word. If no
     * sentence comes within a grace time the judge is taken for gone and the next one is told; after three of them a rank
     * judges alone. The news itself spreads from neighbour to neighbour: to everybody in small groups, to the ranks at
     * distances of powers of two in large ones.
     */

    private static final int SMALL = 16;
    private static final int ATTEMPTS = 3;

    private final Members group;
    private final Cause cause;
    private final Map<Integer, Status> answers = new HashMap<>();
    private final Set<Integer> silent = new HashSet<>();
    private int judge = -1;
    private int attempt;
    private long due;

    /** An inquest that begins now; {@code own} is the state of this rank before its calls were stopped. */
    public Inquest(Members group, Cause cause, Status own) {
        this.group = group;
        this.cause = cause;
        answers.put(own.rank(), own);
    }

    public Cause cause() {
        return cause;
    }

    public void start() {
        int[] members = group.members();
        Note.Abort news = new Note.Abort(group.id(), cause);
        int n = members.length, me = group.position();
        if (n <= SMALL) {
            for (int m : members) group.tell(m, news);
        } else {
            for (int distance = 1; distance < n; distance *= 2) {
                group.tell(members[(me + distance) % n], news);
                group.tell(members[Math.floorMod(me - distance, n)], news);
            }
        }
        findJudge();
    }

    /** A member tells its state. */
    public void answered(Status status) {
        answers.put(status.rank(), status);
        judgeIfComplete();
    }

    /** This rank has made a call since; others may want to know how. */
    public void update(Status own) {
        answers.put(own.rank(), own);
        if (judge != group.me()) group.tell(judge, new Note.Answered(group.id(), false, own));
        judgeIfComplete();
    }

    public void lost(int rank) {
        if (rank == judge) findJudge();
        else judgeIfComplete();
    }

    public void look(long now) {
        if (now < due) {
            group.dueBy(due);
        } else if (judge == group.me()) {
            pronounce();
        } else {
            silent.add(judge);
            if (++attempt < ATTEMPTS) findJudge();
            else pronounce();
        }
    }

    private void findJudge() {
        int me = group.me();
        judge = me;
        for (int m : group.members()) {
            if (m == me || !group.isLost(m) && !silent.contains(m) && !isLeaving(m)) {
                judge = m;
                break;
            }
        }
        long grace = group.graceNanos();
        due = group.nanoTime() + (judge == me ? grace / 2 : grace);
        group.dueBy(due);
        if (judge != me) group.tell(judge, new Note.Answered(group.id(), false, answers.get(me)));
        else judgeIfComplete();
    }

    private boolean isLeaving(int rank) {
        return rank == cause.culprit() && (cause.type() == Cause.Type.LOST || cause.type() == Cause.Type.CANCELLED);
    }

    private void judgeIfComplete() {
        if (judge != group.me() || group.hasFailed()) return;
        for (int m : group.members()) {
            Status s = answers.get(m);
            if (s == null && !group.isLost(m)) return;
            if (s != null && cause.type() == Cause.Type.MISMATCH && s.state() == Status.State.NOT_CALLED) return;
        }
        pronounce();
    }

    /** The cause, and the members that this rank has lost as well, or is about to: a host may have gone with all its ranks. */
    private List<Cause> noticed() {
        List<Cause> all = new ArrayList<>();
        all.add(cause);
        if (cause.type() != Cause.Type.LOST) return all;
        for (int m : group.members()) {
            if (m == cause.culprit() || answers.containsKey(m) || !group.takesPart(cause.key(), m)) continue;
            OxbowException loss = group.loss(m);
            if (loss != null) all.add(Cause.lost(cause.key(), cause.label(), group.me(), m, loss));
        }
        return all;
    }

    private void pronounce() {
        if (group.hasFailed()) return;
        Note.Sentence sentence = Verdict.of(group.id(), group.name(), group.members(), noticed(), answers);
        Arrays.stream(group.members()).forEach(m -> group.tell(m, sentence));
        group.fail(sentence);
    }
}
