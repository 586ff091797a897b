package dev.oxbow.graph.pass;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefNextIteration;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.Switch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The loop frames of a graph, and the one that each node runs in and gives its outputs to. */
public final class Frames {

    /** A loop, or the root (number 0, without a parent), by what its Enters say. */
    public record Frame(int number, String name, Frame parent, int parallelIterations) {
        @Override
        public boolean equals(Object o) {
            return this == o;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    private final List<Frame> all = new ArrayList<>();
    private final Frame[] in;
    private final Frame[] out;
    private final Map<String, Frame> byName = new HashMap<>();

    public Frames(Graph graph) {
        List<Node> nodes = graph.nodes();
        in = new Frame[nodes.size()];
        out = new Frame[nodes.size()];
        all.add(new Frame(0, "", null, 1));
        for (Node n : nodes) assign(n);
    }

    public List<Frame> all() {
        return all;
    }

    /** The frame that a node runs in. */
    public Frame of(Node n) {
        return in[n.id()];
    }

    /** The frame that reads its outputs: the child of an Enter, the parent of an Exit. */
    public Frame ofOutputs(Node n) {
        return out[n.id()];
    }

    public static boolean isSwitch(Op op) {
        return op instanceof Switch || op instanceof RefSwitch;
    }

    public static boolean isEnter(Op op) {
        return op instanceof Enter || op instanceof RefEnter;
    }

    public static boolean isConstantEnter(Op op) {
        return op instanceof Enter e && e.isConstant() || op instanceof RefEnter r && r.isConstant();
    }

    public static boolean isExit(Op op) {
        return op instanceof Exit || op instanceof RefExit;
    }

    public static boolean isNext(Op op) {
        return op instanceof NextIteration || op instanceof RefNextIteration;
    }

    public static boolean isMerge(Op op) {
        return op instanceof Merge || op instanceof RefMerge;
    }

    /** Whether a Merge joins the entry and the back edge of a loop. */
    public static boolean isLoopMerge(Node n) {
        if (!isMerge(n.op())) return false;
        for (Edge e : n.inputs()) if (isNext(e.node().op())) return true;
        return false;
    }

    private void assign(Node n) {
        Frame f = null;
        for (Edge e : n.inputs())
            if (e.node().id() < n.id()) f = same(n, f, out[e.node().id()]);
        for (Node c : n.controls()) f = same(n, f, out[c.id()]);
        if (f == null) f = all.get(0);
        in[n.id()] = f;
        out[n.id()] = switch (n.op()) {
            case Enter e -> child(f, e.frameName(), e.parallelIterations());
            case RefEnter e -> child(f, e.frameName(), e.parallelIterations());
            case Op op when isExit(op) -> parent(n, f);
            default -> f;
        };
    }

    private static Frame same(Node n, Frame a, Frame b) {
        require(
                a == null || a == b,
                INVALID_ARGUMENT,
                "node %s (%s) has inputs from different frames: '%s' and '%s'",
                n.name(),
                n.op().signature().name(),
                a == null ? "" : a.name(),
                b.name());
        return b;
    }

    private Frame child(Frame parent, String name, int parallel) {
        return byName.computeIfAbsent(parent.number() + "/" + name, k -> {
            Frame f = new Frame(all.size(), name, parent, Math.max(1, parallel));
            all.add(f);
            return f;
        });
    }

    private static Frame parent(Node n, Frame f) {
        require(f.parent() != null, INVALID_ARGUMENT, "node %s: an Exit outside of any loop", n.name());
        return f.parent();
    }
}
