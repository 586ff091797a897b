package dev.oxbow.graph.pass;

import dev.oxbow.graph.Absorbing;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lets ops compute inputs themselves that nothing else needs, where they can. */
public final class Absorb implements Rewrite {

    /** A node's new op, with the node that it takes in at an input. */
    private record Joint(Op op, int input, Node maker) {}

    @Override
    public String name() {
        return "absorb";
    }

    @Override
    public String purpose() {
        return "let ops compute inputs themselves that nothing else needs";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        Subgraph before = null, after = s;
        while (after != before) { // what was taken in may have inputs to take in
            before = after;
            after = once(before);
        }
        return after;
    }

    private static Subgraph once(Subgraph s) {
        Readers readers = new Readers(s);
        Map<Node, Joint> joints = new HashMap<>();
        Set<Node> dropped = new HashSet<>();
        for (Node n : s.graph().nodes()) {
            Joint j = n.op() instanceof Absorbing op ? joint(n, op, readers) : null;
            if (j == null) continue;
            joints.put(n, j);
            dropped.add(j.maker);
        }
        if (joints.isEmpty()) return s;
        return Rewriter.each(s, (w, n) -> {
            if (dropped.contains(n)) return;
            if (joints.containsKey(n)) join(w, n, joints.get(n));
            else w.copy(n);
        });
    }

    private static Joint joint(Node n, Absorbing op, Readers readers) {
        for (int i = 0; i < n.inputCount(); i++) {
            Node maker = n.input(i).node();
            if (!isFree(maker, n, readers)) continue;
            Op joint = op.absorbing(i, maker);
            if (joint != null) return new Joint(joint, i, maker);
        }
        return null;
    }

    /** Whether a node may as well run as a part of its only reader. */
    private static boolean isFree(Node maker, Node reader, Readers readers) {
        if (maker.outputCount() != 1 || !readers.areAll(1, maker)) return false;
        if (maker.op().effects() != Effects.NONE || maker.op().waits()) return false;
        if (!Readers.areTogether(maker, reader)) return false;
        return maker.inputs().stream()
                .noneMatch(e -> e.type().isRef() || e.node().id() >= maker.id());
    }

    private static void join(Rewriter w, Node n, Joint j) {
        List<Edge> inputs = w.inputs(n);
        inputs.remove(j.input);
        inputs.addAll(j.input, w.inputs(j.maker));
        w.replace(n, j.op, inputs, w.controls(n, j.maker));
    }
}
