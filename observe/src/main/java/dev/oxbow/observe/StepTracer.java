package dev.oxbow.observe;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.runtime.trace.Clock;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps what a step does, in nanoseconds since 1970. */
final class StepTracer implements Tracer {
    private final Queue<Done> all = new ConcurrentLinkedQueue<>();

    private record Done(String device, List<Node> nodes, long from, long to) {}

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
                        Clock.of(d.from),
                        Clock.of(d.to)))
                .toList();
    }

    private static String origin(Node n) {
        StackTraceElement line = n.origin();
        return line == null ? "" : line.toString();
    }
}
