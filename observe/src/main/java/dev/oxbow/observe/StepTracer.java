package dev.oxbow.observe;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps what a step does, in nanoseconds since 1970. */
final class StepTracer implements Tracer {
    /** What a clock of this process has to be added to its nanoTime. */
    private static final long OFFSET = offset();

    private final Queue<Done> all = new ConcurrentLinkedQueue<>();

    private record Done(String device, List<Node> nodes, long from, long to) {}

    private static long offset() {
        long best = Long.MAX_VALUE, offset = 0;
        for (int i = 0; i < 20; i++) {
            long before = System.nanoTime();
            Instant now = Instant.now();
            long after = System.nanoTime();
            if (after - before >= best) continue;
            best = after - before;
            offset = now.getEpochSecond() * 1_000_000_000 + now.getNano() - (before + best / 2);
        }
        return offset;
    }

    @Override
    public void done(String device, List<Node> nodes, long from, long to) {
        all.add(new Done(device, nodes, from, to));
    }

    List<Event.Span> spans() {
        return all.stream()
                .map(d -> new Event.Span(
                        d.device,
                        d.nodes.stream().map(Node::name).toList(),
                        d.nodes.stream().map(n -> n.op().signature().name()).toList(),
                        origin(d.nodes.getFirst()),
                        d.from + OFFSET,
                        d.to + OFFSET))
                .toList();
    }

    private static String origin(Node n) {
        StackTraceElement line = n.origin();
        return line == null ? "" : line.toString();
    }
}
