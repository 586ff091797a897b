package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Park;
import dev.oxbow.graph.core.Unpark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides which values wait on the host: parked after their early readers, brought back before their late ones. */
final class Swap {

    /*
     * Copies to the host and back go beside the work of the device, so a value that waits long costs nothing there. Time is
     * counted in work: a byte takes as long as so much of it. Copies in one direction follow each other. A value leaves after the
     * last that reads it early, and its memory is free where the work in between has lasted until its copy is done; it is
     * fetched as early as its copy needs to be there in time. Each round takes, of the values that wait through the moment when
     * most is held, the one that waits longest, unless it would not be away at that moment.
     */

    /** Smaller values, as a part of the peak, are not worth a copy. */
    private static final long SMALLEST = 1 << 10;

    private final StepMemory memory;
    private final double workPerByte;
    private final long[] base;
    private final int[] ends;

    /** By place: the work before it. */
    private final double[] before;

    private final BitSet banned = new BitSet();
    private List<Move> moves = List.of();
    private long[] held;

    /** A value that leaves after place {@code out} and is back before {@code in}; its readers end at {@code from}, begin at {@code to}. */
    private record Move(int value, long bytes, int from, int to, int out, int in) {
        Move leaving(int place) {
            return new Move(value, bytes, from, to, place, in);
        }

        Move back(int place) {
            return new Move(value, bytes, from, to, out, place);
        }
    }

    Swap(StepMemory memory, double workPerByte) {
        this.memory = memory;
        this.workPerByte = workPerByte;
        int n = memory.size();
        int[] written = new int[n];
        Arrays.setAll(written, i -> i);
        base = memory.simulate(written, null).held;
        held = base;
        ends = memory.kernelEnds();
        before = new double[n + 1];
        for (int i = 0; i < n; i++) before[i + 1] = before[i] + memory.work[i];
    }

    int count() {
        return moves.size();
    }

    long bytes() {
        return moves.stream().mapToLong(Move::bytes).sum();
    }

    long peak() {
        return held.length == 0 ? 0 : held[peakAt()];
    }

    private int peakAt() {
        int at = 0;
        for (int k = 1; k < held.length; k++) if (held[k] > held[at]) at = k;
        return at;
    }

    /** Goes on until a step holds no more than {@code budget}, or nothing helps. */
    void run(long budget) {
        int rounds = Math.clamp(60_000_000L / Math.max(1, memory.size()), 60, 4096);
        for (int r = 0; r < rounds && peak() > budget; r++) {
            int at = peakAt();
            Move best = longest(at);
            if (best == null) return;
            List<Move> all = new ArrayList<>(moves);
            all.add(best);
            List<Move> timed = timed(all);
            Move own = timed == null
                    ? null
                    : timed.stream()
                            .filter(m -> m.value == best.value)
                            .findFirst()
                            .get();
            if (own == null || own.out >= at || own.in <= at) {
                banned.set(memory.root[best.value]);
                continue;
            }
            moves = timed;
            banned.set(memory.root[best.value]); // once is enough
            held = base.clone();
            for (Move m : moves) for (int k = m.out + 1; k < m.in; k++) held[k] -= m.bytes;
        }
    }

    /** Who waits through a place, by root: what is read of it later, until when and from when on. */
    private final class Waiting {
        final int[] from = new int[memory.owner.length], to = from.clone(), late = from.clone();
        final BitSet out = (BitSet) banned.clone();

        Waiting(int at) {
            Arrays.fill(from, -1);
            Arrays.fill(late, -1);
            for (int i = 0; i < memory.size(); i++) {
                for (int v : memory.inputs[i]) if (v >= 0) read(i, v, at);
                for (int v = memory.first[i]; v < memory.first[i + 1]; v++) if (i <= at) early(i, memory.root[v], at);
            }
        }

        private void early(int i, int root, int at) {
            if (ends[i] >= at) out.set(root);
            from[root] = Math.max(from[root], ends[i]);
        }

        private void read(int i, int v, int at) {
            int root = memory.root[v];
            if (i <= at) early(i, root, at);
            else if (memory.owner[v] < at) { // else a view that is made late
                if (late[root] < 0) to[root] = i;
                if (late[root] >= 0 && late[root] != v || !isNear(v, i)) out.set(root);
                late[root] = v;
            }
        }

        private boolean isNear(int v, int reader) {
            int maker = memory.owner[v];
            return memory.region[maker] == memory.region[reader] && !memory.flow[reader] && !memory.flow[maker];
        }
    }

    private Move longest(int at) {
        Waiting w = new Waiting(at);
        Move best = null;
        for (int r = 0; r < memory.owner.length; r++) {
            if (w.late[r] < 0 || w.out.get(r) || w.from[r] < 0 || memory.fetched[r]) continue;
            if (memory.bytes[r] < Math.max(1, base[at] / SMALLEST) || !isPlain(w.late[r])) continue;
            if (best != null && wait(w.from[r], w.to[r]) <= wait(best.from, best.to)) continue;
            best = new Move(w.late[r], memory.bytes[r], w.from[r], w.to[r], 0, 0);
        }
        return best;
    }

    private boolean isPlain(int v) {
        TensorType t = memory.nodes.get(memory.owner[v]).output(v - memory.first[memory.owner[v]]);
        return t.isAllocatable() && !t.isRef() && !t.isHandle() && !t.dtype().isObject();
    }

    private double wait(int from, int to) {
        return before[to] - before[from + 1];
    }

    /** The same with the places where they leave and are back; null where one would be back before it has left. */
    private List<Move> timed(List<Move> all) {
        List<Move> timed = new ArrayList<>();
        double free = 0;
        all.sort(Comparator.comparingInt(Move::from));
        for (Move m : all) {
            free = Math.max(free, before[m.from + 1]) + m.bytes * workPerByte;
            int out = m.from;
            while (out < m.to && before[out + 1] < free) out++;
            timed.add(m.leaving(out));
        }
        timed.sort(Comparator.comparingInt(Move::to).reversed());
        free = Double.MAX_VALUE;
        for (int i = 0; i < timed.size(); i++) {
            Move m = timed.get(i);
            free = Math.min(free, before[m.to]) - m.bytes * workPerByte;
            int in = m.to;
            while (in > m.out && before[in] > free) in--;
            if (in <= m.out + 1) return null;
            timed.set(i, m.back(in));
        }
        return timed;
    }

    /** The graph in which values are parked. */
    Subgraph rewritten(Subgraph s) {
        Map<Integer, List<Move>> out = new HashMap<>(), in = new HashMap<>();
        for (Move m : moves) {
            out.computeIfAbsent(m.out, _ -> new ArrayList<>()).add(m);
            in.computeIfAbsent(m.in, _ -> new ArrayList<>()).add(m);
        }
        Map<Edge, Edge> parked = new HashMap<>(), back = new HashMap<>();
        return Rewriter.each(s, (w, n) -> {
            for (Move m : in.getOrDefault(n.id(), List.of()))
                back.put(
                        edge(m),
                        w.add(maker(m), "/back", new Unpark(), List.of(parked.get(edge(m))), List.of())
                                .edge(0));
            List<Edge> inputs = w.inputs(n);
            boolean changed = false;
            for (int k = 0; k < inputs.size(); k++) {
                Edge there = back.get(n.input(k));
                if (there == null || inputs.get(k) == null) continue;
                inputs.set(k, there);
                changed = true;
            }
            if (changed) w.copy(n, inputs);
            else w.copy(n);
            for (Move m : out.getOrDefault(n.id(), List.of()))
                parked.put(
                        edge(m),
                        w.add(maker(m), "/parked", new Park(), List.of(w.edge(edge(m))), List.of())
                                .edge(0));
        });
    }

    private Node maker(Move m) {
        return memory.nodes.get(memory.owner[m.value]);
    }

    private Edge edge(Move m) {
        return maker(m).edge(m.value - memory.first[memory.owner[m.value]]);
    }
}
