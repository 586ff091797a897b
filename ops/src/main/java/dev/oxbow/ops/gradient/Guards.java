package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.flow.OptionalNone;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Which values of a body are dead when a Switch goes the other way, and how such a value is kept nevertheless. */
final class Guards {

    /** The value is alive when {@code pred} chooses {@code side}, and {@code outer}, if any, holds too. */
    private record Guard(Guard outer, Edge pred, int side, int depth) {}

    private final Graph graph;
    private final Map<Node, Guard> guards = new HashMap<>();
    private int known;

    Guards(Graph graph) {
        this.graph = graph;
    }

    /** Looks at the nodes that the graph has got since the last time. */
    private void extend() {
        for (int size = graph.size(); known < size; known++) {
            Node n = graph.node(known);
            Guard g = guard(n);
            if (g != null) guards.put(n, g);
        }
    }

    private static boolean isBranch(Node n) {
        return n.op() instanceof Switch && !(n.input(1).node().op() instanceof LoopCond);
    }

    private Guard guard(Node n) {
        switch (n.op()) {
            case Enter e -> {
                return null; // inside a loop, what stands outside of it holds always
            }
            case Exit e -> {
                Node merge = n.input(0).node().inputCount() == 2
                        ? n.input(0).node().input(0).node()
                        : null;
                boolean isLoop = merge != null
                        && merge.op() instanceof Merge
                        && merge.input(0).node().op() instanceof Enter;
                return isLoop ? of(merge.input(0).node().input(0)) : null;
            }
            case Merge m
            when !(n.input(n.inputCount() - 1).node().op() instanceof NextIteration) -> {
                Guard first = of(n.input(0));
                return first == null ? null : first.outer;
            }
            default -> {
                Guard deepest = null;
                for (Edge e : n.inputs()) if (e.node().id() < n.id()) deepest = deeper(deepest, of(e));
                for (Node c : n.controls()) deepest = deeper(deepest, guards.get(c));
                return deepest;
            }
        }
    }

    private Guard of(Edge e) {
        Guard g = guards.get(e.node());
        if (!isBranch(e.node())) return g;
        return new Guard(g, e.node().input(1), e.port(), g == null ? 1 : g.depth + 1);
    }

    private static Guard deeper(Guard a, Guard b) {
        if (a == null) return b;
        return b == null || a.depth >= b.depth ? a : b;
    }

    /** The value, or something empty when it is dead. */
    Edge alive(Edge e) {
        extend();
        Edge v = e;
        for (Guard g = of(e); g != null; g = g.outer) {
            try (Graph.Scope _ = graph.after(g.pred.node())) {
                Edge nothing = nothing(graph, e.type().dtype());
                Edge otherwise =
                        graph.add(new Switch(), List.of(nothing, g.pred)).edge(1 - g.side);
                v = graph.add(new Merge(), List.of(v, otherwise)).edge(0);
            }
        }
        return v;
    }

    /** What was kept for {@code e}, dead again where {@code e} was dead. */
    Value guarded(Edge e, Value kept, Function<Edge, Value> capture) {
        extend();
        return guarded(of(e), kept, capture);
    }

    private static Value guarded(Guard g, Value kept, Function<Edge, Value> capture) {
        if (g == null) return kept;
        Value outside = guarded(g.outer, kept, capture);
        return Value.applyAll(new Switch(), outside, capture.apply(g.pred)).get(g.side);
    }

    /** An empty value of a dtype. */
    static Edge nothing(Graph g, DType t) {
        if (t == DType.VARIANT) return g.add(new OptionalNone(), List.of()).edge(0);
        return Ops.in(g).constant(Tensor.zeros(t, Shape.of(0))).edge();
    }
}
