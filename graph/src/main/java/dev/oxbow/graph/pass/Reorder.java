package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import java.util.Arrays;
import java.util.PriorityQueue;

/** Looks for an order of nodes that holds less: of those that may run, the one that frees most or allocates least. */
final class Reorder {
    private record Entry(long growth, int node) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry o) {
            int c = Long.compare(growth, o.growth);
            return c != 0 ? c : Integer.compare(node, o.node);
        }
    }

    private final StepMemory memory;
    private final int n;

    /** By node: those that may run only after it, from {@code start[i]}. */
    private int[] start;

    private int[] after;
    private final int[] waiting;

    /** By value: how many nodes have yet to read it or a view of it, and who they are. */
    private final int[] readers;

    private final int[] readersFrom;
    private int[] readerNodes;
    private final boolean[] done;
    private final PriorityQueue<Entry> ready = new PriorityQueue<>();

    private Reorder(StepMemory memory) {
        this.memory = memory;
        n = memory.size();
        waiting = new int[n];
        done = new boolean[n];
        readers = new int[memory.owner.length];
        readersFrom = new int[memory.owner.length + 1];
    }

    static int[] order(StepMemory memory) {
        return new Reorder(memory).run();
    }

    private int[] run() {
        edges();
        readers();
        for (int i = 0; i < n; i++) if (waiting[i] == 0) ready.add(new Entry(growth(i), i));
        int[] order = new int[n];
        int count = 0;
        while (!ready.isEmpty()) {
            Entry e = ready.poll();
            int i = e.node;
            if (done[i]) continue;
            done[i] = true;
            order[count++] = i;
            for (int r : memory.read[i]) {
                if (--readers[r] != 1) continue;
                for (int x = readersFrom[r]; x < readersFrom[r + 1]; x++) {
                    int other = readerNodes[x]; // it will free the value now
                    if (!done[other] && waiting[other] == 0) ready.add(new Entry(growth(other), other));
                }
            }
            for (int x = start[i]; x < start[i + 1]; x++)
                if (--waiting[after[x]] == 0) ready.add(new Entry(growth(after[x]), after[x]));
        }
        return count == n ? order : null;
    }

    private long growth(int i) {
        long growth = 0;
        for (int v = memory.first[i]; v < memory.first[i + 1]; v++) growth += memory.bytes[v];
        for (int r : memory.read[i]) if (readers[r] == 1 && !memory.fetched[r]) growth -= memory.bytes[r];
        return growth;
    }

    private void readers() {
        for (int i = 0; i < n; i++) for (int r : memory.read[i]) readers[r]++;
        for (int v = 0; v < readers.length; v++) readersFrom[v + 1] = readersFrom[v] + readers[v];
        readerNodes = new int[readersFrom[readers.length]];
        int[] filled = new int[readers.length];
        for (int i = 0; i < n; i++) for (int r : memory.read[i]) readerNodes[readersFrom[r] + filled[r]++] = i;
    }

    /** Data, control, the order of effects, and the order behind control flow. */
    private void edges() {
        int[] from = new int[4 * n + 16], to = new int[4 * n + 16];
        int count = 0, effect = -1, flow = -1;
        for (int i = 0; i < n; i++) {
            Node node = memory.nodes.get(i);
            int most = count + node.inputCount() + node.controls().size() + 2;
            if (most > from.length) {
                from = Arrays.copyOf(from, 2 * most);
                to = Arrays.copyOf(to, 2 * most);
            }
            boolean ordered = node.op().waits();
            ordered |= node.op().effects() == Effects.READS || node.op().effects() == Effects.WRITES;
            for (Edge e : node.inputs()) {
                ordered |= e.type().isRef();
                if (e.node().id() >= i) continue;
                from[count] = e.node().id();
                to[count++] = i;
            }
            for (Node c : node.controls()) {
                from[count] = c.id();
                to[count++] = i;
            }
            if (ordered) {
                if (effect >= 0) {
                    from[count] = effect;
                    to[count++] = i;
                }
                effect = i;
            }
            if (memory.flow[i]) {
                if (flow >= 0) {
                    from[count] = flow;
                    to[count++] = i;
                }
                flow = i;
            }
        }
        start = new int[n + 1];
        for (int k = 0; k < count; k++) start[from[k] + 1]++;
        for (int i = 0; i < n; i++) start[i + 1] += start[i];
        after = new int[count];
        int[] filled = new int[n];
        for (int k = 0; k < count; k++) {
            after[start[from[k]] + filled[from[k]]++] = to[k];
            waiting[to[k]]++;
        }
    }
}
