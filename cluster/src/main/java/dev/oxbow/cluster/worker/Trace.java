package dev.oxbow.cluster.worker;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.StepStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a step does, as TensorFlow tells it. */
final class Trace implements Tracer {
    private final long micros = System.currentTimeMillis() * 1_000;
    private final long nanos = System.nanoTime();
    private final Map<String, DeviceStepStats.Builder> devices = new LinkedHashMap<>();

    @Override
    public synchronized void done(String device, List<Node> nodes, long from, long to) {
        DeviceStepStats.Builder d = devices.computeIfAbsent(
                device, name -> DeviceStepStats.newBuilder().setDevice(name));
        long length = to - from, start = micros * 1_000 + from - nanos;
        for (Node n : nodes)
            d.addNodeStats(NodeExecStats.newBuilder()
                    .setNodeName(n.name())
                    .setTimelineLabel(label(n, nodes))
                    .setAllStartMicros(start / 1_000)
                    .setScheduledMicros(start / 1_000)
                    .setOpEndRelMicros(length / 1_000)
                    .setAllEndRelMicros(length / 1_000)
                    .setAllStartNanos(start)
                    .setScheduledNanos(start)
                    .setOpEndRelNanos(length)
                    .setAllEndRelNanos(length));
    }

    /** As TensorFlow's, {@code node = Op(inputs)}, and with whom it ran as one. */
    private static String label(Node n, List<Node> together) {
        StringBuilder s =
                new StringBuilder(n.name() + " = " + n.op().signature().name() + "(");
        for (int i = 0; i < n.inputCount(); i++)
            s.append(i == 0 ? "" : ", ").append(n.input(i).node().name());
        s.append(')');
        if (together.size() > 1) s.append(" in one of ").append(together.size());
        return s.toString();
    }

    synchronized StepStats stats() {
        StepStats.Builder all = StepStats.newBuilder();
        devices.values().forEach(all::addDevStats);
        return all.build();
    }
}
