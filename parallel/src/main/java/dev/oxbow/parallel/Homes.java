package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.state.VarHandleOp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which device of a process a variable lives on: decided when it is first seen, and kept. Thread-safe. */
final class Homes {

    /*
     * Variables that one op takes must live together: a parameter and the slots of its optimizer. The whole graph says
     * which those are, since a run that sets start values sees each by itself.
     */

    private final List<String> devices;
    private final boolean host;
    private final Map<String, String> homes = new HashMap<>();
    /** By the name of a handle, another one that it lives with; those that stand for a family have none. */
    private final Map<String, String> families = new HashMap<>();

    private int seen;
    private final long[] bytes;

    Homes(List<String> devices, boolean host) {
        this.devices = devices;
        this.host = host;
        this.bytes = new long[devices.size()];
    }

    /** Sees what has been added to a graph. */
    synchronized void learn(Graph graph) {
        if (devices.size() == 1) return;
        for (; seen < graph.size(); seen++) {
            String first = null;
            for (Edge e : graph.node(seen).inputs()) {
                if (e == null || !(e.node().op() instanceof VarHandleOp)) continue;
                String family = family(e.node().name());
                if (first == null) first = family;
                else if (!first.equals(family)) families.put(family, first);
            }
        }
    }

    private String family(String handle) {
        String f = handle;
        while (families.containsKey(f)) f = families.get(f);
        return f;
    }

    /** The device of the variable behind a handle: the one that has least so far. */
    synchronized String of(Node handle) {
        if (devices.size() == 1 || !handle.device().isEmpty()) return handle.device();
        return homes.computeIfAbsent(family(handle.name()), _ -> {
            int least = 0;
            for (int d = 1; d < bytes.length; d++) if (!host && bytes[d] < bytes[least]) least = d;
            for (TensorType t : handle.output(0).behind()) if (t.isAllocatable()) bytes[least] += t.byteSize();
            return devices.get(least);
        });
    }
}
