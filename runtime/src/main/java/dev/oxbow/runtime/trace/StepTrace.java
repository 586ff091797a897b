package dev.oxbow.runtime.trace;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.graph.Tracer;
import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.StepStats;
import dev.oxbow.wire.trace.Span;
import dev.oxbow.wire.trace.Spans;
import dev.oxbow.wire.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps what one step does, here and in other tasks: as TensorFlow tells it, and as a file for Perfetto. */
public final class StepTrace implements Tracer {
    private final Queue<Done> all = new ConcurrentLinkedQueue<>();
    private final Labels labels;
    private StepStats elsewhere = StepStats.getDefaultInstance();

    /** What was done: nodes ran, or a value with this key was sent (by {@code nodes} null and equal times) or received. */
    private record Done(
            String device, List<Node> nodes, Thread thread, long ready, long from, long to, String key, long bytes) {}

    public StepTrace() {
        this(new Labels());
    }

    /** Of a step of a graph of which others are traced, too. */
    public StepTrace(Labels labels) {
        this.labels = labels;
    }

    @Override
    public void done(String device, List<Node> nodes, long from, long to) {
        done(device, nodes, from, from, to);
    }

    @Override
    public void done(String device, List<Node> nodes, long ready, long from, long to) {
        all.add(new Done(device, nodes, Thread.currentThread(), ready, from, to, "", 0));
    }

    @Override
    public void sent(String key, long bytes, long at) {
        all.add(new Done(RendezvousKey.parse(key).sendDevice(), null, Thread.currentThread(), at, at, at, key, bytes));
    }

    @Override
    public void received(String key, long bytes, long from, long to) {
        String device = RendezvousKey.parse(key).recvDevice();
        all.add(new Done(device, List.of(), Thread.currentThread(), from, from, to, key, bytes));
    }

    /** Adds what was done in other processes. */
    public synchronized void add(StepStats more) {
        boolean first = elsewhere == StepStats.getDefaultInstance();
        elsewhere = first ? more : elsewhere.toBuilder().mergeFrom(more).build();
    }

    /** All of it, in TensorFlow's words. */
    public synchronized StepStats stats() {
        if (all.isEmpty()) return elsewhere;
        Map<String, DeviceStepStats.Builder> devices = new LinkedHashMap<>();
        for (Done d : all) {
            DeviceStepStats.Builder to = devices.computeIfAbsent(
                    d.device, name -> DeviceStepStats.newBuilder().setDevice(name));
            to.putThreadNames((int) d.thread.threadId(), d.thread.getName());
            if (!d.key.isEmpty()) to.addNodeStats(transfer(d));
            else for (Node n : d.nodes) to.addNodeStats(timed(d, labels.of(n, d.nodes.size())));
        }
        StepStats.Builder stats = StepStats.newBuilder();
        devices.values().forEach(stats::addDevStats);
        return stats.mergeFrom(elsewhere).build();
    }

    private static NodeExecStats.Builder timed(Done d, NodeExecStats.Builder to) {
        long start = Clock.of(d.from), length = d.to - d.from, ready = Clock.of(d.ready);
        return to.setThreadId((int) d.thread.threadId())
                .setAllStartMicros(start / 1_000)
                .setScheduledMicros(ready / 1_000)
                .setOpEndRelMicros(length / 1_000)
                .setAllEndRelMicros(length / 1_000)
                .setAllStartNanos(start)
                .setScheduledNanos(ready)
                .setOpEndRelNanos(length)
                .setAllEndRelNanos(length);
    }

    private static NodeExecStats.Builder transfer(Done d) {
        RendezvousKey key = RendezvousKey.parse(d.key);
        String name = d.nodes == null ? Span.SEND : Span.RECEIVE;
        String label = "%s = %s() [%dB] from %s to %s"
                .formatted(key.tensor(), name, d.bytes, key.sendDevice(), key.recvDevice());
        NodeExecStats.Builder to = NodeExecStats.newBuilder().setNodeName(name).setTimelineLabel(label);
        return timed(d, to).setRendezvousKey(d.key).setTransferredBytes(d.bytes);
    }

    /** All of it, by devices and starts. */
    public List<Span> spans() {
        return Spans.of(stats());
    }

    /** Writes a file that Perfetto and Chrome's tracing open. */
    public void write(Path file) throws IOException {
        TraceFile.write(stats(), file);
    }
}
