package dev.oxbow.graph.pass;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Expanding;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

public final class ExpandTest {
    private final Graph graph = new Graph();

    /** An op that another computes, before a NoOp. */
    @Signature("Twice(x: float) -> (y: float) {}")
    public record Twice() implements Expanding {
        @Override
        public Expansion expand(Services services, Node node, List<Edge> inputs, Graph out) {
            Node n = out.derive(node, new NodeSpec(node.name(), new Make(8, false), inputs));
            return new Expansion(n, List.of(n.edge(0)), new NoOp());
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void whatComesLastRunsAfterAllReadersAndInEveryStep() {
        Node a = Make.in(graph, "a", 8), twice = graph.add(new Twice(), "twice", Make.edges(a));
        Node b = Make.in(graph, "b", 8, twice), c = Make.in(graph, "c", 8, twice);
        Subgraph s = new Expand().run(Cut.run(graph, List.of(), Make.edges(b, c), List.of()), Services.NONE);
        Verifier.check("expand", s);
        assertEquals(new Make(8, false), s.graph().node("twice").op());
        Node last = s.roots().getLast();
        assertEquals(new NoOp(), last.op());
        assertEquals(
                List.of("twice", "b", "c"),
                last.controls().stream().map(Node::name).toList());
    }

    @Test
    void aGraphWithABranchStaysBecauseSomeReadersMayNotRun() {
        Node a = Make.in(graph, "a", 8), twice = graph.add(new Twice(), "twice", Make.edges(a));
        Node yes = graph.add(new Const(Tensor.scalar(true)), List.of());
        Node branch = graph.add(new Switch(), "branch", Make.edges(twice, yes));
        Subgraph s = Cut.run(graph, List.of(), Make.edges(branch), List.of());
        assertSame(s, new Expand().run(s, Services.NONE));
    }
}
