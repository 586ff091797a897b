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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The loops that a graph has by Enter and Exit nodes, and which of them each node runs in. */
final class LoopFrames {

    /** A loop variable: where it enters, where an iteration begins, what the next one begins with, where it leaves. */
    static final class Variable {
        final Node enter;
        final Node merge;
        Node choice;
        Node exit;

        Variable(Node enter, Node merge) {
            this.enter = enter;
            this.merge = merge;
        }

        /** The value at the start of an iteration, inside of the body. */
        Edge begin() {
            return choice.edge(1);
        }

        /** The value at the end of an iteration. */
        Edge end() {
            return merge.input(1).node().input(0);
        }
    }

    /** One loop. */
    static final class Loop {
        final String name;
        final Loop parent;
        final int parallelIterations;
        final List<Variable> variables = new ArrayList<>();
        final List<Node> constants = new ArrayList<>();
        Node condition;

        Loop(String name, Loop parent, int parallelIterations) {
            this.name = name;
            this.parent = parent;
            this.parallelIterations = parallelIterations;
        }
    }

    private final Map<Node, Loop> outputs = new HashMap<>();
    private final Map<String, Loop> byName = new HashMap<>();
    private final Map<Node, Loop> exits = new HashMap<>();

    LoopFrames(Graph graph) {
        boolean any = false;
        List<Node> nodes = graph.nodes();
        for (Node n : nodes) any |= n.op() instanceof Enter;
        if (!any) return;
        Map<Node, Variable> byMerge = new HashMap<>(), byChoice = new HashMap<>();
        for (Node n : nodes) {
            Loop in = null;
            for (Edge e : n.inputs()) if (e != null && e.node().id() < n.id()) in = outputs.getOrDefault(e.node(), in);
            for (Node c : n.controls()) in = outputs.getOrDefault(c, in);
            Loop out = in;
            switch (n.op()) {
                case Enter e -> {
                    Loop parent = in;
                    out = byName.computeIfAbsent(
                            System.identityHashCode(parent) + "/" + e.frameName(),
                            k -> new Loop(e.frameName(), parent, e.parallelIterations()));
                    if (e.isConstant()) out.constants.add(n);
                }
                case Merge m -> {
                    if (n.inputCount() == 2
                            && n.input(0).node().op() instanceof Enter
                            && n.input(1) != null
                            && n.input(1).node().op() instanceof NextIteration) {
                        Variable v = new Variable(n.input(0).node(), n);
                        byMerge.put(n, v);
                        in.variables.add(v);
                    }
                }
                case LoopCond c -> in.condition = n;
                case Switch s -> {
                    Variable v = byMerge.get(n.input(0).node());
                    if (v != null && n.input(1).node().op() instanceof LoopCond) {
                        v.choice = n;
                        byChoice.put(n, v);
                    }
                }
                case Exit e -> {
                    Variable v = byChoice.get(n.input(0).node());
                    if (v != null) v.exit = n;
                    exits.put(n, in);
                    out = in == null ? null : in.parent;
                }
                default -> {}
            }
            if (out != null) outputs.put(n, out);
        }
    }

    /** The loop that an Exit leaves; null for other nodes. */
    Loop left(Node n) {
        return exits.get(n);
    }
}
