package dev.oxbow.graph.pass;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;

/** Infers shapes again, from what is known of the arguments: the shapes of fed tensors, of a call's values. */
public final class Infer {
    private Infer() {}

    public static Subgraph run(Subgraph s) {
        Graph out = new Graph(s.graph().functions());
        Rewriter w = new Rewriter(s.graph(), out);
        for (Node n : s.graph().nodes()) {
            w.refine(n, new NodeSpec(n.name(), n.op(), w.inputs(n), w.controls(n), n.device(), n.extras()));
        }
        w.connectBack();
        return new Subgraph(out, s.roots().stream().map(w::node).toList());
    }
}
