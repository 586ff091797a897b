package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Graph;
import dev.oxbow.runtime.DeviceSpec;
import java.util.HashMap;
import java.util.Map;

/**
 * Where the variables, queues and tables of a session's graph are. A run needs only some of the nodes that say where;
 * those of other runs count too, or a run would not find what the others left. What is somewhere stays there when the
 * graph grows.
 */
public final class Anchors {
    private final Placer placer;
    private Map<String, DeviceSpec> places = Map.of();
    private int size = -1;

    Anchors(Placer placer) {
        this.placer = placer;
    }

    /** The devices of the nodes that stand for what outlives a run, by name. */
    public synchronized Map<String, DeviceSpec> of(Graph graph) {
        int now = graph.size();
        if (size != now) {
            Map<String, DeviceSpec> all = new HashMap<>(placer.anchors(graph));
            all.putAll(places);
            places = all;
            size = now;
        }
        return places;
    }
}
