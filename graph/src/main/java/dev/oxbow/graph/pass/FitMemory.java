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
import java.util.function.Function;

/**
 * Makes a step fit a memory budget: changes the order of nodes first, then has forward values computed again for the
 * backward pass rather than kept. Results stay equal bit for bit; loops and branches, and what follows them, are left
 * alone.
 */
public final class FitMemory implements Rewrite {

    /**
     * What the pass found, in bytes that a step holds beyond what was there before it: as the graph was written, after
     * reordering and after recomputing; {@code least} is what the node {@code largest} alone needs for its inputs and
     * outputs. {@code unknown} values had no known size and count as nothing. {@code workAdded} is the share of the
     * step's work that is done twice.
     */
    public record Report(
            long budget,
            long written,
            long reordered,
            long recomputed,
            long least,
            String largest,
            int copies,
            double workAdded,
            int unknown) {

        public boolean fits() {
            return recomputed <= budget;
        }
    }

    private final long budget;
    private final Function<Graph, int[]> regions;
    private final Consumer<Report> found;

    /**
     * Fits steps into {@code budget} bytes and tells what it found. {@code regions} numbers the nodes of a graph: those with
     * the same number run in order.
     */
    public FitMemory(long budget, Function<Graph, int[]> regions, Consumer<Report> found) {
        this.budget = budget;
        this.regions = regions;
        this.found = found;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String purpose() {
        return "change the order of nodes, then compute values twice, to fit the memory budget";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        StepMemory memory = new StepMemory(s.graph(), regions.apply(s.graph()));
        int[] written = new int[memory.size()];
        Arrays.setAll(written, i -> i);
        long before = memory.simulate(written, null).peak, after = before;
        int largest = 0;
        for (int i = 0; i < memory.size(); i++) if (memory.least(i) > memory.least(largest)) largest = i;
        long least = memory.size() == 0 ? 0 : memory.least(largest);
        String name = memory.size() == 0 ? "" : memory.nodes.get(largest).name();
        int unknown = memory.unknown;
        Subgraph fitted = s;
        if (before > budget) {
            int[] order = Reorder.order(memory);
            long peak = order == null ? before : memory.simulate(order, null).peak;
            if (peak < before) {
                fitted = Rewriter.each(s, nodes(s.graph(), order), Rewriter::copy);
                memory = new StepMemory(fitted.graph(), regions.apply(fitted.graph()));
                after = peak;
            }
        }
        long last = after;
        int copies = 0;
        double added = 0, work = 0;
        if (after > budget) {
            Recompute r = new Recompute(memory);
            r.run(budget);
            for (int i = 0; i < memory.size(); i++) {
                work += memory.work[i];
                if (r.anchors()[i] < 0) continue;
                copies++;
                added += memory.work[i];
            }
            last = r.peak();
            if (copies > 0) fitted = recomputed(fitted, memory, r);
        }
        double workAdded = work == 0 ? 0 : added / work;
        found.accept(new Report(budget, before, after, last, least, name, copies, workAdded, unknown));
        return fitted;
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
