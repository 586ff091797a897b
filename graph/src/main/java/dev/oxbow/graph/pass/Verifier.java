package dev.oxbow.graph.pass;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.tensor.OxbowException;
import java.util.BitSet;
import java.util.List;

/** What holds for a {@link Subgraph} after every stage of compilation, as a program; for tests. */
public final class Verifier {

    /*
     * Nodes stand after their inputs, but for the back edges of loops, from NextIteration to Merge, and after their
     * control inputs; all of them, and the roots, are of this graph, and names tell them apart. Inputs and outputs are
     * as the op's signature says, and the types written down do not contradict what the op infers from its inputs.
     * Arguments and results have different indices, and no result is lost. Who reads values of a loop runs in it.
     */

    private final String stage;
    private final Graph graph;

    private Verifier(String stage, Graph graph) {
        this.stage = stage;
        this.graph = graph;
    }

    /** Fails with INTERNAL, naming the stage, the node and the rule, where a stage has made a wrong graph of another. */
    public static void check(String stage, Subgraph before, Subgraph after) {
        if (after == before) return;
        check(stage, after);
        BitSet had = results(before), has = results(after);
        if (!has.equals(had))
            throw new OxbowException(INTERNAL, "after '%s': results %s were %s".formatted(stage, has, had));
    }

    /** The same for a graph by itself. */
    public static void check(String stage, Subgraph s) {
        Verifier v = new Verifier(stage, s.graph());
        BitSet arguments = new BitSet(), results = new BitSet();
        for (Node n : s.graph().nodes()) {
            v.structure(n);
            v.types(n);
            if (n.op() instanceof Arg a) v.unique(n, a.index(), arguments);
            if (n.op() instanceof Retval r) v.unique(n, r.index(), results);
        }
        for (Node r : s.roots()) v.require(r != null && r.graph() == v.graph, r, "is a root of another graph");
        v.frames();
    }

    private static BitSet results(Subgraph s) {
        BitSet all = new BitSet();
        for (Node n : s.graph().nodes()) if (n.op() instanceof Retval r) all.set(r.index());
        return all;
    }

    private void structure(Node n) {
        require(graph.node(n.name()) == n, n, "shares its name with another node");
        for (int i = 0; i < n.inputCount(); i++) {
            Edge e = n.input(i);
            require(e != null, n, "has nothing at input %d", i);
            require(e.node().graph() == graph, n, "reads %s of another graph at input %d", e, i);
            require(e.port() < e.node().outputCount(), n, "reads %s, which has no such output", e);
            boolean back = Frames.isMerge(n.op()) && Frames.isNext(e.node().op());
            require(e.node().id() < n.id() || back, n, "reads %s, which comes later", e);
        }
        for (Node c : n.controls()) {
            require(c.graph() == graph, n, "runs after %s of another graph", c);
            require(c.id() < n.id(), n, "runs after %s, which comes later", c);
        }
    }

    private void types(Node n) {
        List<TensorType> inferred = graph.inferred(n);
        if (inferred == null) fits(n);
        else require(inferred.size() == n.outputCount(), n, "has outputs %s, not %s", n.outputs(), inferred);
        for (int i = 0; inferred != null && i < inferred.size(); i++) {
            TensorType is = n.output(i), now = inferred.get(i);
            boolean agree = is.dtype() == now.dtype() && is.shape().isCompatibleWith(now.shape());
            require(agree, n, "has %s as output %d where its inputs make it %s", is, i, now);
        }
    }

    /** What an op refuses may be for the values to come; but not what its signature refuses. */
    private void fits(Node n) {
        List<TensorType> inputs = n.inputs().stream().map(Edge::type).toList();
        try {
            n.op().signature().bind(n.op().attributes(), inputs);
        } catch (OxbowException e) {
            throw new OxbowException(INTERNAL, "after '%s': %s".formatted(stage, e.getMessage()), e)
                    .at(null, n.name(), null);
        }
    }

    private void unique(Node n, int index, BitSet seen) {
        require(!seen.get(index), n, "has index %d, which another has", index);
        seen.set(index);
    }

    private void frames() {
        Frames frames = new Frames(graph);
        for (Node n : graph.nodes()) {
            for (Edge e : n.inputs())
                require(frames.ofOutputs(e.node()) == frames.of(n), n, "reads %s of another loop", e);
        }
    }

    private void require(boolean holds, Node n, String rule, Object... values) {
        if (holds) return;
        String op = n == null ? "nothing" : n.op().signature().name(), what = rule.formatted(values);
        throw new OxbowException(INTERNAL, "after '%s': %s %s".formatted(stage, op, what))
                .at(null, String.valueOf(n), null);
    }
}
