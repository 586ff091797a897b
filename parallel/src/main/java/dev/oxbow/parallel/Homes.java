package dev.oxbow.parallel;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which device of a process a variable lives on: decided when it is first seen, and kept. Thread-safe. */
final class Homes {
    private final List<String> devices;
    private final boolean host;
    private final Map<String, String> homes = new HashMap<>();
    private final long[] bytes;

    Homes(List<String> devices, boolean host) {
        this.devices = devices;
        this.host = host;
        this.bytes = new long[devices.size()];
    }

    /** The device of the variable behind a handle: the one that has least so far. */
    synchronized String of(Node handle) {
        if (devices.size() == 1 || !handle.device().isEmpty()) return handle.device();
        return homes.computeIfAbsent(handle.name(), _ -> {
            int least = 0;
            for (int d = 1; d < bytes.length; d++) if (!host && bytes[d] < bytes[least]) least = d;
            for (TensorType t : handle.output(0).behind()) if (t.isAllocatable()) bytes[least] += t.byteSize();
            return devices.get(least);
        });
    }
}
