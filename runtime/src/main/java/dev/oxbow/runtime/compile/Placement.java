package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.runtime.DeviceSpec;
import java.util.HashMap;
import java.util.Map;

/**
 * Where the nodes of a graph are, and why.
 *
 * @param devices by node id
 * @param reasons by node id, in words
 * @param predicted what a step takes so, in nanoseconds; NaN where nobody asked
 * @param before what it would take where nodes are that nothing is known of
 */
public record Placement(DeviceSpec[] devices, String[] reasons, double predicted, double before) {

    /** One line for each node. */
    public String listing(Graph g) {
        StringBuilder s = new StringBuilder();
        for (Node n : g.nodes())
            s.append("  %s (%s): %s, %s%n"
                    .formatted(n.name(), n.op().signature().name(), devices[n.id()].name(), reasons[n.id()]));
        if (!Double.isNaN(predicted))
            s.append("  predicted: %.3f ms a step, %.3f ms without moving anything%n"
                    .formatted(predicted / 1e6, before / 1e6));
        return s.toString();
    }

    /** The devices of nodes by name: equal where two placements of one graph are. */
    public Map<String, DeviceSpec> byName(Graph g) {
        Map<String, DeviceSpec> all = new HashMap<>();
        for (Node n : g.nodes()) all.put(n.name(), devices[n.id()]);
        return all;
    }
}
