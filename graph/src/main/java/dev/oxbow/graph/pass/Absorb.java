package dev.oxbow.graph.pass;

import dev.oxbow.graph.Absorbing;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lets ops compute inputs themselves that nothing else needs, where they can. */
public final class Absorb {

    /** A node's new op, with the node that it takes in at an input. */
    private record Joint(Op op, int input, Node maker) {}

    private final Readers readers;

    private Absorb(Subgraph s) {
        readers = new Readers(s);
    }

    public static Subgraph run(Subgraph s) {
        Subgraph before = null, after = s;
        while (after != before) { // what was taken in may have inputs to take in
            before = after;
            after = once(before);
        }
        return after;
    }

    private static Subgraph once(Subgraph s) {
        Absorb pass = new Absorb(s);
        Map<Node, Joint> joints = new HashMap<>();
        Set<Node> dropped = new HashSet<>();
        for (Node n : s.graph().nodes()) {
            Joint j = n.op() instanceof Absorbing op ? pass.joint(n, op) : null;
            if (j == null) continue;
            joints.put(n, j);
            dropped.add(j.maker);
        }
        if (joints.isEmpty()) return s;
        Rewriter w = new Rewriter(s.graph(), new Graph(s.graph().functions()));
        for (Node n : s.graph().nodes()) {
            if (dropped.contains(n)) continue;
            if (joints.containsKey(n)) join(w, n, joints.get(n));
            else w.copy(n);
        }
        w.connectBack();
        return new Subgraph(w.out(), s.roots().stream().map(w::node).toList());
    }

    private Joint joint(Node n, Absorbing op) {
        for (int i = 0; i < n.inputCount(); i++) {
            Node maker = n.input(i).node();
            if (!isFree(maker, n)) continue;
            Op joint = op.absorbing(i, maker);
            if (joint != null) return new Joint(joint, i, maker);
        }
        return null;
    }

    /** Whether a node may as well run as a part of its only reader. */
    private boolean isFree(Node maker, Node reader) {
        if (maker.outputCount() != 1 || !readers.areAll(1, maker)) return false;
        if (maker.op().effects() != Effects.NONE || maker.op().waits()) return false;
        if (!Readers.areTogether(maker, reader)) return false;
        return maker.inputs().stream()
                .noneMatch(e -> e.type().isRef() || e.node().id() >= maker.id());
    }

    private static void join(Rewriter w, Node n, Joint j) {
        List<Edge> inputs = new ArrayList<>(w.inputs(n));
        inputs.remove(j.input);
        inputs.addAll(j.input, w.inputs(j.maker));
        Set<Node> controls = new LinkedHashSet<>(w.controls(n));
        controls.addAll(w.controls(j.maker));
        Node joint =
                w.out().derive(n, new NodeSpec(n.name(), j.op, inputs, List.copyOf(controls), n.device(), n.extras()));
        w.replace(n, joint, joint);
    }
}
