package dev.oxbow.wire.trace;

import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.StepStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The spans of a step, as TensorFlow's messages tell them. */
public final class Spans {
    private static final Pattern LABEL = Pattern.compile("(.*?) = ([^(]*)\\(.*");

    private Spans() {}

    /** Nodes that ran as one, by when and where. */
    private record Place(long thread, long from, long to) {}

    /** What these stats tell, those of TensorFlow included, in the order of devices and starts. */
    public static List<Span> of(StepStats stats) {
        List<Span> all = new ArrayList<>();
        for (DeviceStepStats d : stats.getDevStatsList()) {
            List<Span> here = new ArrayList<>();
            Map<Place, Span> together = new LinkedHashMap<>();
            for (NodeExecStats n : d.getNodeStatsList()) {
                Span s = span(d.getDevice(), n);
                if (!n.getTimelineLabel().contains(" in one of ")) here.add(s);
                else together.merge(new Place(s.thread(), s.from(), s.to()), s, Spans::joined);
            }
            here.addAll(together.values());
            here.sort((a, b) -> Long.compare(a.from(), b.from()));
            all.addAll(here);
        }
        return all;
    }

    private static Span joined(Span a, Span b) {
        List<String> nodes = new ArrayList<>(a.nodes()), ops = new ArrayList<>(a.ops());
        nodes.addAll(b.nodes());
        ops.addAll(b.ops());
        return new Span(a.kind(), a.device(), a.thread(), nodes, ops, a.ready(), a.from(), a.to(), a.key(), a.bytes());
    }

    private static Span span(String device, NodeExecStats n) {
        long start = n.getAllStartNanos() != 0 ? n.getAllStartNanos() : n.getAllStartMicros() * 1_000;
        long length = n.getAllEndRelNanos() != 0 ? n.getAllEndRelNanos() : n.getAllEndRelMicros() * 1_000;
        long ready = n.getScheduledNanos() != 0 ? n.getScheduledNanos() : n.getScheduledMicros() * 1_000;
        Span.Kind kind = n.getRendezvousKey().isEmpty()
                ? Span.Kind.RUN
                : n.getNodeName().equals(Span.SEND) ? Span.Kind.SEND : Span.Kind.RECEIVE;
        return new Span(
                kind,
                device,
                Integer.toUnsignedLong(n.getThreadId()),
                List.of(n.getNodeName()),
                List.of(op(n)),
                ready == 0 ? start : Math.min(start, ready),
                start,
                start + Math.max(0, length),
                n.getRendezvousKey(),
                n.getTransferredBytes());
    }

    private static String op(NodeExecStats n) {
        Matcher m = LABEL.matcher(n.getTimelineLabel());
        return m.matches() ? m.group(2) : n.getNodeName();
    }
}
