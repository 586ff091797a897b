package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.runtime.DeviceSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A step that is only thought through: each device does one node at a time, in the order in which they can begin, and values
 * go from device to device one after the other on each way. Who has no device yet gets the one on which it ends first.
 */
final class StepForecast {

    /*
     * The greedy simulation of the white paper (Abadi et al. 2015, 3.2.1). What is fed or constant is wherever it is read, since
     * placement puts it there; edges back to the start of a loop are left out, so that a loop counts as one iteration.
     */

    /** Who may be put where: for each node the devices to choose from, null where its device is settled. */
    interface Choices {
        List<DeviceSpec> of(Node n);

        /** All of the node's group go to a device that ends it at {@code end}, the device it was at before at {@code before}. */
        void chosen(Node n, DeviceSpec d, double end, double before);
    }

    private record Ready(double at, int id) {}

    private final List<Node> nodes;
    private final DeviceSpec[] placed;
    private final CostModel costs;
    private final double[] ends;
    private final Map<DeviceSpec, Double> free = new HashMap<>();
    private final Map<String, Double> waysFree = new HashMap<>();
    /** When an output of a node has come to another device. */
    private final Map<String, Double> arrived = new HashMap<>();

    StepForecast(List<Node> nodes, DeviceSpec[] placed, CostModel costs) {
        this.nodes = nodes;
        this.placed = placed;
        this.costs = costs;
        this.ends = new double[nodes.size()];
    }

    /** How long the step takes; nodes with choices are placed on the way. */
    double run(Choices choices) {
        int[] missing = new int[nodes.size()];
        List<List<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < missing.length; i++) readers.add(new ArrayList<>());
        for (Node n : nodes) {
            for (int s : sources(n)) {
                readers.get(s).add(n.id());
                missing[n.id()]++;
            }
        }
        PriorityQueue<Ready> ready =
                new PriorityQueue<>((a, b) -> a.at != b.at ? Double.compare(a.at, b.at) : Integer.compare(a.id, b.id));
        double[] since = new double[missing.length];
        for (Node n : nodes) if (missing[n.id()] == 0) ready.add(new Ready(0, n.id()));
        double last = 0;
        for (Ready r = ready.poll(); r != null; r = ready.poll()) {
            Node n = nodes.get(r.id);
            if (choices != null && choices.of(n) != null) choose(n, choices);
            ends[r.id] = end(n, placed[r.id], true);
            last = Math.max(last, ends[r.id]);
            for (int reader : readers.get(r.id)) {
                since[reader] = Math.max(since[reader], ends[r.id]);
                if (--missing[reader] == 0) ready.add(new Ready(since[reader], reader));
            }
        }
        return last;
    }

    /** When a node ends, after {@link #run}. */
    double end(Node n) {
        return ends[n.id()];
    }

    /** When a node begins, after {@link #run}. */
    double start(Node n) {
        return ends[n.id()] - (isAnywhere(n) ? 0 : costs.nanos(n));
    }

    private static List<Integer> sources(Node n) {
        List<Integer> all = new ArrayList<>();
        for (Edge e : n.inputs()) if (e.node().id() < n.id()) all.add(e.node().id());
        for (Node c : n.controls()) if (c.id() < n.id()) all.add(c.id());
        return all;
    }

    private void choose(Node n, Choices choices) {
        DeviceSpec best = placed[n.id()];
        double here = end(n, best, false), end = here;
        for (DeviceSpec d : choices.of(n)) {
            double there = end(n, d, false);
            if (there >= end * 0.999) continue; // as good is no reason to move
            best = d;
            end = there;
        }
        choices.chosen(n, best, end, here);
    }

    /** When a node would end on a device; {@code for real} takes the device and the ways that long. */
    private double end(Node n, DeviceSpec d, boolean forReal) {
        double start = isAnywhere(n) ? 0 : free.getOrDefault(d, 0.0);
        for (Edge e : n.inputs())
            if (e.node().id() < n.id())
                start = Math.max(start, arrival(e.node(), e.port(), CostModel.bytes(e), d, forReal));
        for (Node c : n.controls()) if (c.id() < n.id()) start = Math.max(start, arrival(c, -1, 1, d, forReal));
        if (isAnywhere(n)) return start;
        double end = start + costs.nanos(n);
        if (forReal) free.put(d, end);
        return end;
    }

    /** Whether a node has its value wherever it is read. */
    static boolean isAnywhere(Node n) {
        return n.op() instanceof Arg || n.op() instanceof Const;
    }

    private double arrival(Node from, int port, long bytes, DeviceSpec to, boolean forReal) {
        DeviceSpec at = placed[from.id()];
        double made = ends[from.id()];
        if (at == to || isAnywhere(from)) return made;
        String value = from.id() + ":" + port + " " + to.name();
        Double known = arrived.get(value);
        if (known != null) return known;
        String way = at.name() + " " + to.name();
        double takes = costs.transfer(at.name(), to.name(), bytes), message = costs.transfer(at.name(), to.name(), 0);
        double begin = Math.max(made, waysFree.getOrDefault(way, 0.0));
        if (forReal) {
            arrived.put(value, begin + takes);
            waysFree.put(way, begin + takes - message); // messages overlap, bytes do not
        }
        return begin + takes;
    }
}
