package dev.oxbow.collective.failure;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One rank's part in making a new group of the survivors of an old one. */
public final class Reform {

    /** Who makes the group. */
    public interface Former {
        /** Makes a group of these members and tries it out for at most so long; {@code end} gets the error or {@code null}. */
        void form(int[] members, int attempt, Duration timeout, Consumer<OxbowException> end);

        /** There will be none. */
        void giveUp(OxbowException why);
    }

    /*
     * Everybody joins with the lowest rank that it does not know to be gone, saying whom it has lost. That rank decides
     * when all who are there have joined or half of the time is over, leaves out ranks until all who remain see each
     * other, and tells them. A barrier of the new group shows that it works; if it fails, the next attempt begins.
     */

    private final Members old;
    private final Former former;
    private final long began;
    private final long deadline;
    private final Map<Integer, int[]> joined = new TreeMap<>();
    private int attempt;
    private int leader = -1;
    private long decideAt;
    private boolean forming;
    private boolean over;

    public Reform(Members old, Former former, Duration timeout) {
        this.old = old;
        this.former = former;
        began = old.nanoTime();
        deadline = began + timeout.toNanos();
    }

    public void start() {
        join();
    }

    public boolean isOver() {
        return over;
    }

    private void join() {
        forming = false;
        long now = old.nanoTime();
        decideAt = now + (deadline - now) / 2;
        leader = old.me();
        for (int m : old.members()) {
            if (m == old.me() || !old.isLost(m)) {
                leader = m;
                break;
            }
        }
        old.dueBy(decideAt);
        joined.put(old.me(), old.lostMembers());
        if (leader == old.me()) decideIfComplete();
        else old.tell(leader, new Note.Join(old.id(), attempt, old.lostMembers()));
    }

    public void joined(int from, Note.Join note) {
        joined.put(from, note.lost());
        if (note.attempt() > attempt) {
            attempt = note.attempt();
            if (!forming) join();
        }
        decideIfComplete();
    }

    public void lost(int rank) {
        joined.remove(rank);
        if (forming || over) return;
        if (rank == leader) join();
        else decideIfComplete();
    }

    public void formed(Note.Form note) {
        if (forming || over || note.attempt() < attempt) return;
        attempt = note.attempt();
        tryOut(note.members());
    }

    public void look(long now) {
        if (over) return;
        if (now >= deadline) {
            over = true;
            former.giveUp(new OxbowException(DEADLINE_EXCEEDED, late()));
        } else {
            if (now >= decideAt && leader == old.me() && !forming) decide();
            old.dueBy(now < decideAt ? decideAt : deadline);
        }
    }

    private String late() {
        List<Integer> missing = new ArrayList<>();
        for (int m : old.members()) if (!old.isLost(m) && !joined.containsKey(m)) missing.add(m);
        String why = leader == old.me()
                ? missing.isEmpty() ? "no group of the survivors held" : Verdict.ranks(missing) + " did not join"
                : Verdict.rank(leader) + ", which collects who joins, has not answered";
        return "reform of group %s: not finished within %s: %s"
                .formatted(old.name(), Words.seconds(deadline - began), why);
    }

    private void decideIfComplete() {
        if (leader != old.me() || forming || over) return;
        for (int m : old.members()) if (!joined.containsKey(m) && !isGone(m)) return;
        decide();
    }

    /** Whether anybody who has joined has lost a rank. */
    private boolean isGone(int rank) {
        if (old.isLost(rank)) return true;
        for (int[] lost : joined.values()) for (int l : lost) if (l == rank) return true;
        return false;
    }

    private void decide() {
        int[] members = whole(joined);
        for (int m : members) old.tell(m, new Note.Form(old.id(), attempt, members));
        tryOut(members);
    }

    /** The ranks that joined, without those that others of them have lost: the ones with most losses go first. */
    static int[] whole(Map<Integer, int[]> joined) {
        Map<Integer, int[]> left = new TreeMap<>(joined);
        while (true) {
            Map<Integer, Integer> broken = new HashMap<>();
            left.forEach((rank, lost) -> {
                for (int l : lost) {
                    if (!left.containsKey(l)) continue;
                    broken.merge(rank, 1, Integer::sum);
                    broken.merge(l, 1, Integer::sum);
                }
            });
            int worst = -1;
            for (var e : new TreeMap<>(broken).entrySet())
                if (worst < 0 || e.getValue() >= broken.get(worst)) worst = e.getKey();
            if (worst < 0) return left.keySet().stream().mapToInt(r -> r).toArray();
            left.remove(worst);
        }
    }

    private void tryOut(int[] members) {
        forming = true;
        long left = Math.max(1, deadline - old.nanoTime());
        former.form(members, attempt, Duration.ofNanos(left), error -> {
            if (over) return;
            over = error == null;
            if (over) return;
            attempt++;
            joined.clear();
            join();
        });
    }
}
