package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Identity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lets a node that comes after an update of a referenced variable read the variable then, not what an Identity read before. */
public record LateReads() implements Rewrite {

    /*
     * TensorFlow's variables by reference are updated in place, and the Identity that reads one hands on its memory, not a
     * copy. Programs count on it: a node that waits for an update on one way, and has an input from such an Identity, which
     * does not wait for it, gets the new value. Here an update makes a new tensor when somebody holds the old one, so that
     * node must take the reference itself. What comes after the updates of a variable is found from them: mostly little.
     */

    @Override
    public String name() {
        return "late reads";
    }

    @Override
    public String purpose() {
        return "read referenced variables after the updates that come before the reader";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Map<Edge, Set<Node>> after = afterUpdates(s.graph());
        if (after.isEmpty()) return s;
        return Rewriter.each(s, (w, n) -> {
            List<Edge> inputs = new ArrayList<>(w.inputs(n));
            Set<Node> controls = new LinkedHashSet<>(w.controls(n));
            boolean changed = false;
            for (int i = 0; i < n.inputCount(); i++) {
                Node read = n.input(i).node();
                if (!isRead(read) || read.id() >= n.id() || n.takesRef(i)) continue;
                Set<Node> late = after.get(read.input(0));
                if (late == null || !late.contains(n) || late.contains(read)) continue;
                inputs.set(i, w.edge(read.input(0)));
                controls.add(w.node(read));
                changed = true;
            }
            if (changed)
                w.copy(n, new NodeSpec(n.name(), n.op(), inputs, List.copyOf(controls), n.device(), n.extras()));
            else w.copy(n);
        });
    }

    private static boolean isRead(Node n) {
        return n.op() instanceof Identity
                && n.input(0) != null
                && n.input(0).type().isRef();
    }

    /** By reference that Identities read: what comes after an update of it. */
    private static Map<Edge, Set<Node>> afterUpdates(Graph g) {
        Map<Edge, Set<Node>> after = new HashMap<>();
        for (Node n : g.nodes()) if (isRead(n)) after.put(n.input(0), new HashSet<>());
        if (after.isEmpty()) return after;
        List<List<Node>> next = next(g);
        for (Node n : g.nodes()) {
            if (n.op().effects() != Effects.WRITES) continue;
            for (Edge e : n.inputs()) {
                Set<Node> late = e == null ? null : after.get(e);
                if (late != null) addAll(n, next, late);
            }
        }
        after.values().removeIf(Set::isEmpty);
        return after;
    }

    /** By number, the nodes that read a node or wait for it. */
    private static List<List<Node>> next(Graph g) {
        List<List<Node>> next = new ArrayList<>();
        for (int i = 0; i < g.size(); i++) next.add(new ArrayList<>(2));
        for (Node n : g.nodes()) {
            for (Edge e : n.inputs()) next.get(e.node().id()).add(n);
            for (Node c : n.controls()) next.get(c.id()).add(n);
        }
        return next;
    }

    private static void addAll(Node update, List<List<Node>> next, Set<Node> late) {
        ArrayDeque<Node> work = new ArrayDeque<>(List.of(update));
        while (!work.isEmpty()) for (Node n : next.get(work.poll().id())) if (late.add(n)) work.add(n);
    }
}
