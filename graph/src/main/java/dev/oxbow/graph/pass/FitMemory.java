package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes a step fit a memory budget: changes the order of nodes first, then parks values that wait long on the host where the
 * device can, then has forward values computed again for the backward pass rather than kept. Results stay equal bit for
 * bit; loops and branches, and what follows them, are left alone.
 */
public final class FitMemory implements Rewrite {

    /**
     * What the pass found, in bytes that a step holds beyond what was there before it: as the graph was written, after
     * reordering, after parking and after recomputing; {@code least} is what the node {@code largest} alone needs for its
     * inputs and outputs. {@code unknown} values had no known size and count as nothing. {@code workAdded} is the share of
     * the step's work that is done twice.
     */
    public record Report(
            long budget,
            long written,
            long reordered,
            long parked,
            long recomputed,
            long least,
            String largest,
            Moved moved,
            int copies,
            double workAdded,
            int unknown) {

        public boolean fits() {
            return recomputed <= budget;
        }
    }

    /** How many values are parked, and their bytes. */
    public record Moved(int values, long bytes) {
        private Moved and(Swap more) {
            return new Moved(values + more.count(), bytes + more.bytes());
        }
    }

    /** What runs the step. */
    public interface Machine {
        /** A number for each node of a graph: those with the same number run in order. */
        int[] regions(Graph g);

        /** What becomes of a graph's nodes, where kernels of several are known ahead; else null. */
        default JoinedNodes joined(Graph g) {
            return null;
        }

        /** The work that is done while one byte is parked; negative where nothing can be. */
        default double workPerByte() {
            return -1;
        }
    }

    /** With kernels of several nodes an estimate can be compared with the plan that follows, and be made so often. */
    private static final int MOST_ATTEMPTS = 4;

    private final long budget;
    private final Machine machine;
    private final Consumer<Report> found;

    /** Fits steps into {@code budget} bytes and tells what it found. */
    public FitMemory(long budget, Machine machine, Consumer<Report> found) {
        this.budget = budget;
        this.machine = machine;
        this.found = found;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String purpose() {
        return "change the order of nodes, park values, then compute some twice, to fit the memory budget";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        StepMemory memory = new StepMemory(s.graph(), machine.regions(s.graph()));
        long peak = peak(memory);
        if (peak <= budget) {
            Fitting whole = new Fitting(s, memory);
            found.accept(whole.report(peak));
            return s;
        }
        Fitting best = null;
        long target = budget, taken = 0;
        JoinedNodes before = machine.joined(s.graph());
        if (before != null) memory = new StepMemory(s.graph(), memory.region, before);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            Fitting f = new Fitting(s, memory);
            f.fit(target);
            JoinedNodes joined = machine.joined(f.fitted.graph());
            long takes = joined == null ? f.last : joined.bytes();
            if (best == null || takes < taken) {
                best = f;
                taken = takes;
            }
            if (joined == null || taken <= budget || target <= takes - budget) break;
            target -= takes - budget;
        }
        found.accept(best.report(taken));
        return best.fitted;
    }

    private StepMemory memory(Subgraph s) {
        return new StepMemory(s.graph(), machine.regions(s.graph()), machine.joined(s.graph()));
    }

    private static long peak(StepMemory memory) {
        int[] written = new int[memory.size()];
        Arrays.setAll(written, i -> i);
        return memory.simulate(written, null).peak;
    }

    /** One attempt. */
    private final class Fitting {
        private Subgraph fitted;
        private StepMemory memory;
        private final long written;
        private long reordered;
        private long parked;
        private long last;
        private final long least;
        private final String largest;
        private final int unknown;
        private Moved moved = new Moved(0, 0);
        private int copies;
        private double workAdded;

        Fitting(Subgraph s, StepMemory memory) {
            this.fitted = s;
            this.memory = memory;
            written = reordered = parked = last = peak(memory);
            int most = 0;
            for (int i = 0; i < memory.size(); i++) if (memory.least(i) > memory.least(most)) most = i;
            least = memory.size() == 0 ? 0 : memory.least(most);
            largest = memory.size() == 0 ? "" : memory.nodes.get(most).name();
            unknown = memory.unknown;
        }

        Report report(long taken) {
            return new Report(
                    budget, written, reordered, parked, taken, least, largest, moved, copies, workAdded, unknown);
        }

        void fit(long target) {
            reorder(target);
            if (last > target) park(target, machine.workPerByte());
            parked = last;
            if (last > target) recompute(target);
            // what nothing else helps against may cost time
            if (last > target) park(target, Math.min(0, machine.workPerByte()));
        }

        private void reorder(long target) {
            int[] order = last > target ? Reorder.order(memory) : null;
            if (order == null || memory.simulate(order, null).peak >= last) return;
            Subgraph other = Rewriter.each(fitted, nodes(fitted.graph(), order), Rewriter::copy);
            StepMemory after = memory(other); // other kernels may follow from it
            if (peak(after) >= last) return;
            fitted = other;
            memory = after;
            reordered = parked = last = peak(after);
        }

        private void park(long target, double workPerByte) {
            if (workPerByte < 0) return;
            if (memory == null) memory = memory(fitted);
            Swap swap = new Swap(memory, workPerByte);
            swap.run(target);
            if (swap.count() == 0) return;
            moved = moved.and(swap);
            fitted = swap.rewritten(fitted);
            memory = memory(fitted);
            last = peak(memory);
        }

        private void recompute(long target) {
            Recompute r = new Recompute(memory);
            r.run(target);
            double work = 0, added = 0;
            for (int i = 0; i < memory.size(); i++) {
                work += memory.work[i];
                if (r.anchors()[i] < 0) continue;
                copies++;
                added += memory.work[i];
            }
            workAdded = work == 0 ? 0 : added / work;
            last = r.peak();
            if (copies == 0) return;
            fitted = recomputed(fitted, memory, r);
            memory = null; // until somebody asks
        }
    }

    private static List<Node> nodes(Graph graph, int[] order) {
        List<Node> nodes = new ArrayList<>(order.length);
        for (int i : order) nodes.add(graph.node(i));
        return nodes;
    }

    private static Subgraph recomputed(Subgraph s, StepMemory memory, Recompute r) {
        Graph out = new Graph(s.graph().functions());
        int[] anchor = r.anchors(), sequence = memory.sequence(anchor), latest = new int[memory.size()];
        for (int i = 0; i < anchor.length; i++) if (anchor[i] >= 0) latest[anchor[i]] = i;
        Node[] once = new Node[memory.size()], again = new Node[memory.size()];
        List<Node> loops = new ArrayList<>();
        for (int step : sequence) {
            int i = step < 0 ? ~step : step, at = step < 0 ? anchor[i] : i;
            Node n = memory.nodes.get(i);
            List<Edge> inputs = new ArrayList<>(n.inputCount());
            for (Edge e : n.inputs()) {
                int from = e.node().id();
                boolean copied = anchor[from] >= 0 && anchor[from] <= at;
                inputs.add(from >= i ? null : (copied ? again[from] : once[from]).edge(e.port()));
            }
            List<Node> controls = new ArrayList<>();
            for (Node c : n.controls()) controls.add(once[c.id()]);
            if (step < 0) {
                Node trigger = once[r.trigger(at, latest[at])];
                if (!controls.contains(trigger)) controls.add(trigger);
            }
            String name = n.name();
            if (step < 0) do name += "/again"; while (s.graph().has(name));
            Node made = out.copy(n, new NodeSpec(name, n.op(), inputs, controls, n.device(), n.extras()));
            if (step < 0) again[i] = made;
            else once[i] = made;
            if (inputs.contains(null)) loops.add(n);
        }
        for (Node n : loops) {
            for (int k = 0; k < n.inputCount(); k++) {
                Edge e = n.input(k);
                if (once[n.id()].input(k) == null)
                    out.connectBack(once[n.id()], k, once[e.node().id()].edge(e.port()));
            }
        }
        return new Subgraph(out, s.roots().stream().map(x -> once[x.id()]).toList());
    }
}
