package dev.oxbow.parallel;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which device of a process a variable lives on. */
final class LocalHomes implements Homes {
    private final List<String> devices;
    private final boolean host;
    private final Map<String, String> homes = new HashMap<>();
    private final Families families = new Families();
    private final long[] bytes;

    LocalHomes(List<String> devices, boolean host) {
        this.devices = devices;
        this.host = host;
        this.bytes = new long[devices.size()];
    }

    @Override
    public synchronized void learn(Graph graph) {
        if (devices.size() > 1) families.learn(graph);
    }

    /** The device that has least so far. */
    @Override
    public synchronized String of(Node handle) {
        if (devices.size() == 1 || !handle.device().isEmpty()) return handle.device();
        return homes.computeIfAbsent(families.of(handle), _ -> {
            int least = 0;
            for (int d = 1; d < bytes.length; d++) if (!host && bytes[d] < bytes[least]) least = d;
            for (TensorType t : handle.output(0).behind()) if (t.isAllocatable()) bytes[least] += t.byteSize();
            return devices.get(least);
        });
    }
}
