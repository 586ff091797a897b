package dev.oxbow.graph.pass;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/** Decides which values are dropped after their early readers and computed once more for the late ones. */
final class Recompute {

    /*
     * Each round looks at the moment when most is held, and at the values that wait there for a later reader. A value
     * that is dropped is computed again right before that reader, from what is alive there; what is not is computed
     * again too, or was already going to be, and is then made earlier. Values that are made again together are a
     * segment. Dropping neighbours one after the other would give one long segment, whose values all are there at once
     * when the backward pass reaches it, so segments may grow only when no value is left outside of them: with a
     * tighter budget they approach the even spacing of sqrt(n) checkpoints (Chen et al., 2016). Nothing is computed more
     * than twice. A round that does not help is taken back; anchors are only added or moved to the front, so it ends.
     */

    private static final int MOST_ITEMS = 256;
    private static final int MOST_CANDIDATES = 1 << 14;

    private final StepMemory memory;
    private final int n;
    private int[] anchor;

    /** By node: the segment that its copy is part of; segments are joined by a union-find. */
    private int[] segment;

    private long[] segmentBytes;

    /** By value: until where in the sequence it is held, as far as known within a round. */
    private int[] freed;

    private int[] place;
    private StepMemory.Trace trace;
    private StepMemory.Trace before;

    /** A value that could be dropped, with the nodes whose late readers want it, or views of it, from {@code at} on. */
    private static final class Candidate {
        final int root;
        int at = -1;
        final List<Integer> makers = new ArrayList<>(1);
        final List<Integer> copies = new ArrayList<>(0);

        /** Nodes that get a copy, or an earlier one, and their anchors before. */
        final List<int[]> changes = new ArrayList<>();

        double work;
        long saved;

        Candidate(int root) {
            this.root = root;
        }

        double worth() {
            return saved / (work + 1);
        }
    }

    Recompute(StepMemory memory) {
        this.memory = memory;
        n = memory.size();
        anchor = new int[n];
        Arrays.fill(anchor, -1);
        segment = new int[n];
        segmentBytes = new long[n];
        for (int i = 0; i < n; i++) segment[i] = i;
        trace = memory.simulate(memory.sequence(anchor), anchor);
    }

    int[] anchors() {
        return anchor;
    }

    long peak() {
        return trace.peak;
    }

    /** Goes on until a step holds no more than {@code budget}, or nothing helps. */
    void run(long budget) {
        int rounds = Math.clamp(6_000_000L / Math.max(1, n), 60, 600);
        long limit = 0;
        int batch = Integer.MAX_VALUE;
        BitSet banned = new BitSet();
        for (int r = 0; r < rounds && trace.peak > budget; ) {
            List<Candidate> candidates = candidates(banned);
            if (candidates.isEmpty()) return;
            if (limit == 0) for (Candidate c : candidates) limit = Math.max(limit, memory.bytes[c.root]);
            long need = Math.min(trace.peak - budget, trace.peak / 8); // a large batch would choose blindly
            int[] oldAnchor = anchor.clone(), oldSegment = segment.clone();
            long[] oldBytes = segmentBytes.clone();
            List<Candidate> taken = new ArrayList<>();
            for (Candidate c : candidates) {
                if (need <= 0 || taken.size() >= batch) break;
                if (!apply(c) || !join(c, limit)) {
                    revert(c);
                    continue;
                }
                settle(c);
                need -= c.saved;
                taken.add(c);
            }
            if (taken.isEmpty()) {
                if (limit > trace.peak) return;
                limit *= 2;
                banned.clear();
                continue;
            }
            r++;
            before = trace;
            trace = memory.simulate(memory.sequence(anchor), anchor);
            if (hasHelped()) {
                if (batch < Integer.MAX_VALUE / 2) batch *= 2;
                continue;
            }
            trace = before;
            anchor = oldAnchor;
            segment = oldSegment;
            segmentBytes = oldBytes;
            if (taken.size() == 1) banned.set(taken.getFirst().root);
            batch = Math.max(1, taken.size() / 2);
        }
    }

    /** Whether the peak is lower, or at least lower where it was. */
    private boolean hasHelped() {
        if (trace.peak != before.peak) return trace.peak < before.peak;
        int at = before.sequence[before.peakAt];
        for (int k = 0; k < trace.sequence.length; k++) if (trace.sequence[k] == at) return trace.held[k] < trace.peak;
        return true;
    }

    /** The values that wait through the peak, best first. */
    private List<Candidate> candidates(BitSet banned) {
        int values = memory.owner.length, peak = trace.peakAt;
        int[] sequence = trace.sequence;
        place = new int[n];
        for (int k = 0; k < sequence.length; k++) if (sequence[k] >= 0) place[sequence[k]] = k;
        freed = trace.freed.clone();
        Candidate[] by = new Candidate[values];
        BitSet out = new BitSet(values);
        for (int k = peak; k < sequence.length; k++) {
            boolean copy = sequence[k] < 0;
            int i = copy ? ~sequence[k] : sequence[k], at = copy ? anchor[i] : i;
            for (int v : memory.inputs[i]) {
                if (v < 0 || memory.source(v, at, anchor) != v) continue;
                int root = memory.root[v];
                if (trace.made[root] < 0 || trace.made[root] >= peak || memory.bytes[root] == 0) continue;
                if (k == peak || memory.fetched[root] || trace.freed[root] <= peak || banned.get(root)) out.set(root);
                if (out.get(root)) continue;
                Candidate c = by[root];
                if (c == null) c = by[root] = new Candidate(root);
                if (c.at < 0) c.at = at;
                int maker = memory.owner[v];
                if (place[maker] >= peak) continue; // a view that is made late anyway
                if (!c.makers.contains(maker)) c.makers.add(maker);
                if (copy && at == c.at) c.copies.add(i);
            }
        }
        List<Candidate> all = new ArrayList<>();
        for (Candidate c : by) {
            if (c == null || out.get(c.root)) continue;
            if (memory.repeatable[memory.owner[c.root]] && !memory.flow[c.at] && trigger(c.at) >= 0) all.add(c);
        }
        if (all.size() > MOST_CANDIDATES) {
            all.sort(Comparator.comparingLong((Candidate c) -> -memory.bytes[c.root])
                    .thenComparingInt(c -> c.root));
            all = new ArrayList<>(all.subList(0, MOST_CANDIDATES));
        }
        all.removeIf(c -> {
            boolean possible = apply(c);
            revert(c);
            return !possible;
        });
        all.sort(Comparator.comparingDouble((Candidate c) -> -c.worth()).thenComparingInt(c -> c.root));
        return all;
    }

    /** Sets the anchors that dropping a value needs; false when it cannot be, or does not pay. */
    private boolean apply(Candidate c) {
        c.changes.clear();
        c.work = 0;
        c.saved = memory.bytes[c.root];
        ArrayDeque<Integer> open = new ArrayDeque<>();
        if (c.makers.isEmpty()) c.makers.add(memory.owner[c.root]); // only views that are made late read it
        for (int maker : c.makers) if (!want(c, maker, open)) return false;
        while (!open.isEmpty()) {
            int i = open.poll();
            for (int v : memory.inputs[i]) {
                if (v < 0) continue;
                int from = memory.owner[v], root = memory.root[v];
                if (memory.outside[from]) continue;
                if (anchor[from] >= 0 && anchor[from] <= c.at) {
                    c.saved -= extension(v, c.at);
                    continue;
                }
                if (root != c.root && freed[root] >= place[c.at]) continue;
                if (!want(c, from, open)) {
                    if (root == c.root || memory.flow[from]) return false;
                    c.saved -= memory.bytes[root]; // it is kept for this
                }
            }
        }
        return c.saved > 0;
    }

    /** What it takes to keep the copy of a value until {@code at}. */
    private long extension(int v, int at) {
        int root = memory.root[v];
        return freed[memory.source(root, at, anchor)] >= place[at] ? 0 : memory.bytes[root];
    }

    private boolean want(Candidate c, int i, ArrayDeque<Integer> open) {
        if (anchor[i] >= 0 && anchor[i] <= c.at) return true;
        if (!memory.repeatable[i] || c.changes.size() >= MOST_ITEMS || i >= c.at) return false;
        if (anchor[i] < 0) c.work += memory.work[i];
        c.changes.add(new int[] {i, anchor[i]});
        anchor[i] = c.at;
        open.add(i);
        return true;
    }

    private void revert(Candidate c) {
        for (int k = c.changes.size() - 1; k >= 0; k--)
            anchor[c.changes.get(k)[0]] = c.changes.get(k)[1];
        c.changes.clear();
    }

    /** Joins the segments that a candidate touches; false when that would hold more than {@code limit}. */
    private boolean join(Candidate c, long limit) {
        List<Integer> touched = new ArrayList<>();
        for (int[] change : c.changes) if (change[1] >= 0) touch(change[0], touched);
        for (int copy : c.copies) touch(copy, touched);
        long sum = memory.bytes[c.root];
        for (int s : touched) sum += segmentBytes[s];
        if (sum > limit) return false;
        int into = find(memory.owner[c.root]);
        for (int s : touched) segment[s] = into;
        for (int[] change : c.changes) segment[find(change[0])] = into;
        segmentBytes[into] = sum;
        return true;
    }

    private void touch(int node, List<Integer> touched) {
        int s = find(node);
        if (!touched.contains(s)) touched.add(s);
    }

    private int find(int i) {
        int s = i;
        while (segment[s] != s) s = segment[s] = segment[segment[s]];
        return s;
    }

    /** Notes what a candidate that was taken changes for those after it. */
    private void settle(Candidate c) {
        int values = memory.owner.length, at = place[c.at];
        for (int[] change : c.changes) {
            int i = change[0];
            if (change[1] < 0 && !memory.isView(i))
                for (int v = memory.first[i]; v < memory.first[i + 1]; v++)
                    freed[v + values] = Math.max(at, v == c.root ? freed[v] : at);
        }
        freed[c.root] = trace.peakAt;
        for (int[] change : c.changes) {
            for (int v : memory.inputs[change[0]]) {
                if (v < 0) continue;
                int root = memory.source(memory.root[v], c.at, anchor);
                freed[root] = Math.max(freed[root], at);
            }
        }
    }

    /** The node that runs last before {@code at} and that a copy can wait for; -1 when there is none. */
    int trigger(int at) {
        for (int i = at - 1; i >= 0 && i > at - 256; i--) if (isTrigger(i, at)) return i;
        return -1;
    }

    /** The node that copies before {@code at} wait for: one that it needs itself, if that runs late. */
    int trigger(int at, int latest) {
        int best = -1;
        for (int v : memory.inputs[at])
            if (v >= 0 && memory.owner[v] > latest && isTrigger(memory.owner[v], at))
                best = Math.max(best, memory.owner[v]);
        return best >= 0 ? best : trigger(at);
    }

    private boolean isTrigger(int i, int at) {
        return !memory.outside[i]
                && !memory.flow[i]
                && !memory.isView(i)
                && memory.region[i] == memory.region[at]
                && !memory.nodes.get(i).op().waits()
                && memory.first[i + 1] > memory.first[i];
    }
}
