package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.flow.EmptyTensorList;
import dev.oxbow.ops.flow.TensorListPushBack;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A loop of Enters and Exits as one to differentiate: lists are added to it as further variables of its frame. */
final class FrameLoop implements LoopGradient.Loop {
    private final Graph graph;
    private final LoopFrames.Loop loop;
    private final Set<Node> ends = new HashSet<>();
    private final List<Edge> kept = new ArrayList<>();

    FrameLoop(Graph graph, LoopFrames.Loop loop) {
        this.graph = graph;
        this.loop = loop;
        for (LoopFrames.Variable v : loop.variables) if (v.choice != null) ends.add(v.choice);
        ends.addAll(loop.constants);
    }

    @Override
    public Graph body() {
        return graph;
    }

    @Override
    public int size() {
        return loop.variables.size() + loop.constants.size();
    }

    private LoopFrames.Variable variable(int k) {
        return k < loop.variables.size() ? loop.variables.get(k) : null;
    }

    private Node constant(int k) {
        return loop.constants.get(k - loop.variables.size());
    }

    @Override
    public Edge input(int k) {
        return (variable(k) != null ? variable(k).enter : constant(k)).input(0);
    }

    @Override
    public Edge output(int k) {
        return variable(k) == null || variable(k).exit == null
                ? null
                : variable(k).exit.edge(0);
    }

    @Override
    public Edge argument(int k) {
        return variable(k) != null ? variable(k).begin() : constant(k).edge(0);
    }

    @Override
    public Edge result(int k) {
        return variable(k) != null ? variable(k).end() : constant(k).edge(0);
    }

    @Override
    public Set<Node> ends() {
        return ends;
    }

    @Override
    public void keep(Edge e) {
        kept.add(e);
    }

    @Override
    public void keepAnything() {
        keep(loop.condition.edge(0));
    }

    @Override
    public List<Edge> finish() {
        List<Edge> exits = new ArrayList<>();
        Edge pred = loop.condition.edge(0);
        // constants of the graph around a nested loop must run in that graph's own frame
        Node around = input(0).node();
        try (Graph.Scope _ = graph.scope(loop.name + "_lists")) {
            for (Edge e : kept) {
                TensorType t = e.type().deref();
                Edge empty;
                try (Graph.Scope _ = graph.after(around)) {
                    Ops ops = Ops.in(graph);
                    empty = Value.apply(
                                    new EmptyTensorList(t.dtype()),
                                    LoopGradient.shape(ops, t.shape()),
                                    ops.constant(DType.I32, -1))
                            .edge();
                }
                Node enter = graph.add(new Enter(loop.name, false, loop.parallelIterations), List.of(empty));
                List<Edge> both = new ArrayList<>(List.of(enter.edge(0)));
                both.add(null);
                Node merge = graph.add(new Merge(), both);
                Node choice = graph.add(new Switch(), List.of(merge.edge(0), pred));
                Node push = graph.add(new TensorListPushBack(t.dtype()), List.of(choice.edge(1), e));
                Node next = graph.add(new NextIteration(), List.of(push.edge(0)));
                graph.connectBack(merge, 1, next.edge(0));
                exits.add(graph.add(new Exit(), List.of(choice.edge(0))).edge(0));
            }
        }
        return exits;
    }
}
