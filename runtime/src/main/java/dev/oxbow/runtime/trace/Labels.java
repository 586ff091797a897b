package dev.oxbow.runtime.trace;

import dev.oxbow.graph.Node;
import dev.oxbow.wire.proto.NodeExecStats;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What step stats call the nodes of a graph, ready to be sent: whoever traces many steps of one graph keeps it.
 *
 * {@snippet :
 * static List<StepTrace> traces(int steps) {
 *     Labels labels = new Labels();
 *     List<StepTrace> all = new ArrayList<>();
 *     for (int i = 0; i < steps; i++) all.add(new StepTrace(labels));
 *     return all;
 * }
 * }
 */
public final class Labels {
    private record Place(Node node, int together) {}

    private final Map<Place, NodeExecStats> known = new ConcurrentHashMap<>();

    /** The stats of a node without times, with how many it ran as one. */
    NodeExecStats.Builder of(Node n, int together) {
        return known.computeIfAbsent(new Place(n, together), Labels::named).toBuilder();
    }

    private static NodeExecStats named(Place p) {
        return NodeExecStats.newBuilder()
                .setNodeName(p.node.name())
                .setTimelineLabel(label(p.node, p.together))
                .build();
    }

    /** As TensorFlow's, {@code node = Op(inputs)}, and with how many it ran as one. */
    private static String label(Node n, int together) {
        StringBuilder s =
                new StringBuilder(n.name() + " = " + n.op().signature().name() + "(");
        for (int i = 0; i < n.inputCount(); i++)
            s.append(i == 0 ? "" : ", ").append(n.input(i).node().name());
        s.append(')');
        if (together > 1) s.append(" in one of ").append(together);
        return s.toString();
    }
}
