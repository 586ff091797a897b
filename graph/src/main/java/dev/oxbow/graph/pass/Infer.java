package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Infers shapes again, from what is known of the arguments: the shapes of fed tensors, of a call's values. */
public final class Infer implements Rewrite {

    /*
     * A loop variable is taken to have the shape that it enters with. Where what comes back turns out not to have it, the
     * variable stays as it was, and all is inferred again without that.
     */

    @Override
    public String name() {
        return "infer";
    }

    @Override
    public String purpose() {
        return "find shapes again from those of fed values";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Set<Node> variables = new LinkedHashSet<>();
        for (Node n : s.graph().nodes()) if (Frames.isLoopMerge(n)) variables.add(n);
        Set<Node> changing = new HashSet<>();
        while (true) {
            Subgraph made = Rewriter.each(s, (w, n) -> {
                boolean isTaken = variables.contains(n) && !changing.contains(n) && entered(w, n) != null;
                if (isTaken) w.copyAs(n, List.of(entered(w, n), n.output(1)));
                else w.refine(n);
            });
            int before = changing.size();
            for (Node v : variables) {
                Node now = made.graph().node(v.name());
                if (now.output(0).shape().equals(v.output(0).shape())) continue;
                for (Edge e : now.inputs())
                    if (!e.type().shape().equals(now.output(0).shape())) changing.add(v);
            }
            if (changing.size() == before) return made;
        }
    }

    /** The type with which a loop variable enters, where that is fully known and tells more than is known; else null. */
    private static TensorType entered(Rewriter w, Node variable) {
        Shape known = variable.output(0).shape();
        List<Edge> entries = new ArrayList<>();
        for (Edge e : w.inputs(variable)) if (e != null) entries.add(e);
        if (entries.size() != 1 || known.isFullyKnown()) return null;
        Shape s = entries.getFirst().type().shape();
        return s.isFullyKnown() && s.isCompatibleWith(known)
                ? variable.output(0).withShape(s)
                : null;
    }
}
