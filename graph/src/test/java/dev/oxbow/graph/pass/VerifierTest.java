package dev.oxbow.graph.pass;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VerifierTest {
    private final Graph graph = new Graph();
    private final Node a = Make.in(graph, "a", 8);

    private String fault(Node... roots) {
        var e = assertThrows(OxbowException.class, () -> Verifier.check("fold", new Subgraph(graph, List.of(roots))));
        assertEquals(ErrorCode.INTERNAL, e.code());
        return e.getMessage();
    }

    private Node add(String name, Op op, Node... inputs) {
        return graph.add(op, name, Make.edges(inputs));
    }

    /** A loop that adds nothing to its value; its last node is the one that goes back. */
    private Node loop() {
        Node enter = add("enter", new Enter("loop", false, 1), a);
        Node merge = graph.add(new NodeSpec("merge", new Merge(), Arrays.asList(enter.edge(0), null)));
        Node yes =
                graph.add(new NodeSpec("yes", new Const(Tensor.scalar(true)), List.of()).withControls(List.of(merge)));
        Node choice = add("choice", new Switch(), merge, add("go", new LoopCond(), yes));
        Node next = graph.add(new NextIteration(), "next", List.of(choice.edge(1)));
        graph.connectBack(merge, 1, next.edge(0));
        return next;
    }

    @Test
    void aGraphAsItIsBuiltKeepsAllRules() {
        Node end = Make.in(graph, "end", 8, a);
        loop();
        Verifier.check("cut", new Subgraph(graph, List.of(end)));
    }

    @Test
    void rootsAreNodesOfTheGraph() {
        Node other = Make.in(new Graph(), "other", 8);
        assertEquals("after 'fold': Make is a root of another graph (node other)", fault(other));
    }

    @Test
    void backEdgesAreConnected() {
        Node enter = add("enter", new Enter("loop", false, 1), a);
        graph.add(new NodeSpec("merge", new Merge(), Arrays.asList(enter.edge(0), null)));
        assertEquals("after 'fold': Merge has nothing at input 1 (node merge)", fault());
    }

    @Test
    void inputsHaveTheTypesOfTheSignature() {
        Node n = Make.in(graph, "n", 8, a), whole = add("whole", new Const(Tensor.scalar(1)));
        graph.copy(n, new NodeSpec("copy", n.op(), Make.edges(whole)));
        assertEquals("after 'fold': Make: input 0 'x' must be f32, got i32 (node copy)", fault());
    }

    @Test
    void typesDoNotContradictWhatTheOpInfers() {
        Node n = add("n", new Identity(), a), b = Make.in(graph, "b", 9);
        graph.copy(n, new NodeSpec("copy", n.op(), Make.edges(b)));
        assertEquals(
                "after 'fold': Identity has %s as output 0 where its inputs make it %s (node copy)"
                        .formatted(n.output(0), b.output(0)),
                fault());
    }

    @Test
    void argumentsAndResultsDiffer() {
        TensorType t = new TensorType(DType.F32, Shape.of(8));
        graph.argument("x", 1, t);
        add("result", new Retval(1), a);
        Verifier.check("partition", new Subgraph(graph, List.of()));
        graph.argument("y", 1, t);
        assertEquals("after 'fold': _Arg has index 1, which another has (node y)", fault());
    }

    @Test
    void noResultIsLost() {
        Subgraph before = Cut.run(graph, List.of(), Make.edges(a, a), List.of());
        Subgraph after = Cut.run(graph, List.of(), Make.edges(a), List.of());
        Verifier.check("fold", before, before);
        var e = assertThrows(OxbowException.class, () -> Verifier.check("fold", before, after));
        assertEquals("after 'fold': results {0} were {0, 1}", e.getMessage());
    }

    @Test
    void valuesOfALoopAreReadInIt() {
        Node next = loop();
        Make.in(graph, "outside", 8, a, next);
        var e = assertThrows(OxbowException.class, () -> Verifier.check("fold", new Subgraph(graph, List.of())));
        assertEquals("node outside (Make) has inputs from different frames: '' and 'loop'", e.getMessage());
    }
}
