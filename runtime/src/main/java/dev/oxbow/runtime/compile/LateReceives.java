package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.runtime.DeviceSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When large values are asked for where memory is scarce: as late as possible, as early as necessary. Without it a receive
 * begins with the step, and its value lies there until somebody reads it.
 */
final class LateReceives {

    /*
     * The step is thought through with one node at a time on each device (white paper, 5.2). A receive waits for the last node of
     * its device that ends before the value must be on its way. All edges, those added here included, lead forward in the
     * time of that schedule, so that they close no circle, not even across devices.
     */

    /** Smaller values may lie around. */
    private static final long LARGE = 64 << 10;

    private final List<Node> nodes;
    private final DeviceSpec[] placed;
    private final CostModel costs;
    private final StepForecast forecast;
    private final Map<DeviceSpec, List<Node>> byEnd = new HashMap<>();

    LateReceives(List<Node> nodes, DeviceSpec[] placed, Frames frames, CostModel costs) {
        this.nodes = nodes;
        this.placed = placed;
        this.costs = costs;
        this.forecast = new StepForecast(nodes, placed, costs);
        forecast.run(null);
        for (Node n : nodes)
            if (frames.of(n).parent() == null && frames.ofOutputs(n).parent() == null && !StepForecast.isAnywhere(n))
                byEnd.computeIfAbsent(placed[n.id()], _ -> new ArrayList<>()).add(n);
        byEnd.values().forEach(all -> all.sort(Comparator.comparingDouble(n -> forecast.end(n))));
    }

    /** The node after which a device is to ask for a value of another; null for at once. */
    Node after(Edge value, DeviceSpec to) {
        long bytes = CostModel.bytes(value);
        if (bytes < LARGE) return null;
        double needed = Double.MAX_VALUE;
        int first = Integer.MAX_VALUE; // a node waits for nodes before it in the graph only
        for (Node n : nodes)
            if (placed[n.id()] == to && n.inputs().contains(value)) {
                needed = Math.min(needed, forecast.start(n));
                first = Math.min(first, n.id());
            }
        double begin = needed - costs.transfer(placed[value.node().id()].name(), to.name(), bytes);
        Node last = null;
        for (Node n : byEnd.getOrDefault(to, List.of())) {
            if (forecast.end(n) >= begin) break;
            if (n.id() < first) last = n;
        }
        return last != null && forecast.end(last) > 0 ? last : null;
    }
}
