package dev.oxbow.graph.pass;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import java.util.List;

/**
 * Makes arguments and results of what a client feeds and fetches by receives and sends, so that a plan knows their shapes
 * ahead. Not for runs whose feeds come while they run.
 *
 * @param feeds the tensor names of the receives, in the order of the arguments
 * @param fetches the tensor names of the sends, in the order of the results
 */
public record Terminals(List<String> feeds, List<String> fetches) implements Rewrite {

    @Override
    public String name() {
        return "terminals";
    }

    @Override
    public String purpose() {
        return "take feeds and fetches as arguments and results instead of receiving and sending them";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return Rewriter.each(s, (w, n) -> {
            switch (n.op()) {
                case Recv r
                when r.clientTerminated() && feeds.contains(r.tensorName()) ->
                    w.replace(n, w.out().source(n, argument(n, feeds.indexOf(r.tensorName())), n.output(0)));
                case Send t
                when t.clientTerminated() && fetches.contains(t.tensorName()) ->
                    w.replace(n, new Retval(fetches.indexOf(t.tensorName())), w.inputs(n), w.controls(n));
                default -> w.copy(n);
            }
        });
    }

    private static NodeSpec argument(Node n, int index) {
        return new NodeSpec(n.name(), new Arg(n.output(0).dtype(), index), List.of()).withDevice(n.device());
    }
}
