package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Updates that compute what only they read, and two that are one. */
final class FusedUpdatesTest {
    private static final double RATE = 0.1;
    private static final int STEPS = 3;

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value gradient = ops.placeholder("g", DType.F32, Shape.of(4));
    private final Parameter p = Parameter.of("p", ops.constant(Tensor.of(Shape.of(4), 1f, 2f, -3f, 1e-3f)));
    private final Value read = p.value();
    private final List<Node> targets = new ArrayList<>();
    private Minimiser.Updates updates;

    /** A step of Adam by the gradient in bf16, and in f32 again. */
    private void adam() {
        updates = Minimiser.adam(RATE)
                .apply(List.of(p), List.of(gradient.times(0.7).cast(DType.BF16).cast(DType.F32)));
        targets.addAll(updates.nodes());
    }

    /** After it, the parameter loses a part of what it was before. */
    private void decay() {
        Value lost = read.times(0.01);
        try (Graph.Scope _ = graph.after(lost.node())) {
            adam();
        }
        try (Graph.Scope _ = graph.after(updates.nodes().getFirst())) {
            targets.add(Minimiser.update(new AssignSubVariableOp(), p.handle(), lost));
        }
    }

    private Subgraph rewritten() {
        return new FusedUpdates().run(Cut.run(graph, List.of(gradient.edge()), List.of(), targets), Services.NONE);
    }

    private static List<String> names(Subgraph s) {
        return s.graph().nodes().stream().map(n -> n.op().signature().name()).toList();
    }

    /** The values of the parameter and of its slots after some steps of a graph. */
    private List<float[]> trained(boolean fused) {
        Subgraph s = fused ? rewritten() : Cut.run(graph, List.of(gradient.edge()), List.of(), targets);
        List<float[]> all = new ArrayList<>();
        try (Engine cpu = CardModel.onlyCpu();
                Session start = Session.open(graph, cpu);
                Session run =
                        Session.open(s.graph(), cpu, SessionOptions.defaults().withOptimise(false))) {
            start.target(p.initialiser()).run();
            for (Parameter slot : updates.slots())
                start.target(slot.initialiser()).run();
            Node fed = s.graph().nodes().stream()
                    .filter(n -> n.name().startsWith("_feed/"))
                    .findFirst()
                    .orElse(null);
            for (int i = 0; i < STEPS; i++)
                try (Tensor g = Tensor.of(Shape.of(4), 0.1f * i, -1f, 2f + i, 1e-4f)) {
                    step(run, s, fed, g);
                }
            all.add(values(start, p));
            for (Parameter slot : updates.slots()) all.add(values(start, slot));
        }
        return all;
    }

    private void step(Session run, Subgraph s, Node fed, Tensor g) {
        Session.Run r = run.target(s.roots().toArray(Node[]::new));
        if (fed != null) r.feed(fed.edge(0), g);
        r.run();
    }

    private static float[] values(Session s, Parameter p) {
        try (Tensor t = s.fetch(p.value().edge()).run().get(0)) {
            return t.floats();
        }
    }

    private void checkTrains() {
        List<float[]> wanted = trained(false), got = trained(true);
        for (int i = 0; i < wanted.size(); i++)
            assertArrayEquals(wanted.get(i), got.get(i), "bit for bit, of value " + i);
    }

    @Test
    void aFormulaOfTheGradientIsInsideOfTheUpdate() {
        adam();
        List<String> all = names(rewritten());
        assertFalse(all.contains("Cast"), all::toString);
        assertEquals(1, all.stream().filter("_FusedResourceApplyAdam"::equals).count(), all::toString);
        checkTrains();
    }

    @Test
    void aDecayRightAfterAnUpdateIsInsideOfIt() {
        decay();
        List<String> all = names(rewritten());
        assertFalse(all.contains("AssignSubVariableOp"), all::toString);
        checkTrains();
    }

    @Test
    void twoUpdatesBetweenWhichSomebodyReadsStayTwo() {
        decay();
        try (Graph.Scope _ = graph.after(updates.nodes().getFirst())) {
            Value between = Value.apply(new ReadVariableOp(DType.F32), p.handle());
            targets.add(between.times(2).node());
        }
        List<String> all = names(rewritten());
        assertEquals(1, all.stream().filter("AssignSubVariableOp"::equals).count(), all::toString);
    }

    @Test
    void aGradientThatSomebodyElseReadsIsMadeOutside() {
        adam();
        targets.add(updates.nodes().getFirst().input(9).node());
        List<String> all = names(rewritten());
        assertEquals(0, all.stream().filter(n -> n.startsWith("_Fused")).count(), all::toString);
    }
}
