package dev.oxbow.graph.pass;

import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import java.util.List;
import java.util.Map;

/**
 * Makes receives and sends of arguments and results, as a worker expects what a client feeds and fetches; the reverse of
 * {@link Terminals}. All nodes are on one device, whose full name is given to those that have none.
 *
 * @param device the one that the part is for
 */
public record ClientEnds(String device, long incarnation) {

    /** The tensor name of argument {@code i}. */
    public static String feed(int i) {
        return "feed:" + i;
    }

    /** The tensor name of result {@code i}. */
    public static String fetch(int i) {
        return "fetch:" + i;
    }

    public Subgraph run(Subgraph s) {
        return Rewriter.each(s, (w, n) -> {
            switch (n.op()) {
                case Arg a -> {
                    var recv = new Recv(n.output(0).dtype(), feed(a.index()), device, incarnation, device, true);
                    w.replace(
                            n,
                            w.out().source(n, new NodeSpec(n.name(), recv, List.of()).withDevice(device), n.output(0)));
                }
                case Retval r -> {
                    Send send = new Send(fetch(r.index()), device, incarnation, device, true);
                    w.copy(n, new NodeSpec(n.name(), send, w.inputs(n), w.controls(n), device, Map.of()));
                }
                default -> w.copy(n, new NodeSpec(n.name(), n.op(), w.inputs(n), w.controls(n), device, n.extras()));
            }
        });
    }
}
