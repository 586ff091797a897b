package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One rank's part in making a new group of the survivors of an old one. */
final class Reform {

    /*
     * Everybody joins with the lowest rank that it does not know to be gone, saying whom it has lost. That rank decides
     * when all who are there have joined or half of the time is over, leaves out ranks until all who remain see each
     * other, and tells them. A barrier of the new group shows that it works; if it fails, the next attempt begins.
     */

    private final Group old;
    private final PendingGroup pending;
    private final long began;
    private final long deadline;
    private final Map<Integer, int[]> joined = new TreeMap<>();
    private int attempt;
    private int leader = -1;
    private long decideAt;
    private boolean forming;
    private boolean over;

    Reform(Group old, PendingGroup pending, Duration timeout) {
        this.old = old;
        this.pending = pending;
        began = old.communicator().nanoTime();
        deadline = began + timeout.toNanos();
    }

    void start() {
        join();
    }

    boolean isOver() {
        return over;
    }

    private void join() {
        forming = false;
        long now = old.communicator().nanoTime();
        decideAt = now + (deadline - now) / 2;
        leader = old.jobRank();
        for (int m : old.members()) {
            if (m == old.jobRank() || !old.failing().isLost(m)) {
                leader = m;
                break;
            }
        }
        old.communicator().dueBy(decideAt);
        joined.put(old.jobRank(), old.failing().lostMembers());
        if (leader == old.jobRank()) decideIfComplete();
        else
            old.failing()
                    .tell(leader, new Note.Join(old.id(), attempt, old.failing().lostMembers()));
    }

    void joined(int from, Note.Join note) {
        joined.put(from, note.lost());
        if (note.attempt() > attempt) {
            attempt = note.attempt();
            if (!forming) join();
        }
        decideIfComplete();
    }

    void lost(int rank) {
        joined.remove(rank);
        if (forming || over) return;
        if (rank == leader) join();
        else decideIfComplete();
    }

    void formed(Note.Form note) {
        if (forming || over || note.attempt() < attempt) return;
        attempt = note.attempt();
        tryOut(note.members());
    }

    void look(long now) {
        if (over) return;
        if (now >= deadline) {
            over = true;
            pending.end(new OxbowException(DEADLINE_EXCEEDED, late()));
        } else {
            if (now >= decideAt && leader == old.jobRank() && !forming) decide();
            old.communicator().dueBy(now < decideAt ? decideAt : deadline);
        }
    }

    private String late() {
        List<Integer> missing = new ArrayList<>();
        for (int m : old.members()) if (!old.failing().isLost(m) && !joined.containsKey(m)) missing.add(m);
        String why = leader == old.jobRank()
                ? missing.isEmpty() ? "no group of the survivors held" : Verdict.ranks(missing) + " did not join"
                : Verdict.rank(leader) + ", which collects who joins, has not answered";
        return "reform of group %s: not finished within %s: %s"
                .formatted(old.name(), Words.seconds(deadline - began), why);
    }

    private void decideIfComplete() {
        if (leader != old.jobRank() || forming || over) return;
        for (int m : old.members()) if (!joined.containsKey(m) && !isGone(m)) return;
        decide();
    }

    /** Whether anybody who has joined has lost a rank. */
    private boolean isGone(int rank) {
        if (old.failing().isLost(rank)) return true;
        for (int[] lost : joined.values()) for (int l : lost) if (l == rank) return true;
        return false;
    }

    private void decide() {
        int[] members = whole(joined);
        for (int m : members) old.failing().tell(m, new Note.Form(old.id(), attempt, members));
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
        long id = Hash.of(Hash.of(old.id(), members), attempt);
        Group group = old.communicator().form(id, old.failing().nameOfNext(), members);
        long left = Math.max(1, deadline - old.communicator().nanoTime());
        Pending barrier = group.barrier(Options.DEFAULT.withName("reform").withDeadline(Duration.ofNanos(left)));
        barrier.whenDone(error -> {
            if (over) return;
            if (error == null) {
                over = true;
                pending.formed(group);
                return;
            }
            attempt++;
            joined.clear();
            join();
        });
    }
}
