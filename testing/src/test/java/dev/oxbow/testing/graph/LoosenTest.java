package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Loosen;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Waiting for pure nodes becomes waiting for the effects behind them. */
final class LoosenTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(2));
    private final Edge handle = graph.add(
                    Ops.named("VarHandleOp", Map.of("dtype", DType.F32, "shape", Shape.of(2), "shared_name", "v")),
                    List.of())
            .edge(0);

    @Test
    void whatIsOnlyWaitedForIsNotComputed() {
        Value read = x.tanh(), unread = x.exp();
        Node both;
        try (var _ = graph.after(read.node(), unread.node())) {
            both = graph.add(new NoOp(), List.of());
        }
        Value tied;
        try (var _ = graph.after(both)) {
            tied = Value.apply(new Identity(), read);
        }
        Subgraph s = loosened(tied.plus(x));
        assertEquals(List.of("_Arg", "Tanh", "AddV2", "_Retval"), Passes.names(s));
    }

    @Test
    void effectsBehindAPureNodeAreWaitedForInItsPlace() {
        Value old = read(), unread = old.exp();
        Node write;
        try (var _ = graph.after(unread.node())) {
            write = assign(x);
        }
        Subgraph s = loosened(List.of(), List.of(write));
        Node assign = s.roots().getFirst();
        assertEquals(List.of("_Arg", "VarHandleOp", "ReadVariableOp", "AssignVariableOp"), Passes.names(s));
        assertEquals(
                List.of("ReadVariableOp"),
                assign.controls().stream().map(LoosenTest::name).toList());
    }

    @Test
    void onlyTheLatestEffectsAreWaitedForAndNoneThatInputsBring() {
        Node first = assign(x);
        Value read, given;
        try (var _ = graph.after(first)) {
            read = read();
        }
        Value unread = read.exp();
        try (var _ = graph.after(unread.node())) {
            given = Value.apply(new Identity(), read.tanh());
        }
        Node last;
        try (var _ = graph.after(unread.node())) {
            last = assign(x);
        }
        Subgraph s = loosened(List.of(given.edge()), List.of(last));
        assertEquals(
                List.of("ReadVariableOp"),
                s.roots().getFirst().controls().stream().map(LoosenTest::name).toList());
        assertEquals("Tanh", name(s.roots().getLast().input(0).node()));
    }

    @Test
    void aPureNodeWaitsForWritesOnlyAndWhatHasEffectsAfterItForTheReads() {
        Value old = read(), y, z;
        try (var _ = graph.after(old.node())) {
            y = x.tanh();
        }
        Node write = assign(y), check = graph.add(Ops.named("Assert", Map.of()), List.of(check().edge(), x.edge()));
        try (var _ = graph.after(check)) {
            z = x.exp();
        }
        Subgraph s = loosened(List.of(z.edge()), List.of(write));
        Node assign = s.roots().getFirst();
        assertEquals(List.of(), assign.input(1).node().controls());
        assertEquals(
                List.of("ReadVariableOp"),
                assign.controls().stream().map(LoosenTest::name).toList());
        assertEquals(
                List.of("Assert"),
                s.roots().getLast().input(0).node().controls().stream()
                        .map(LoosenTest::name)
                        .toList());
    }

    private Value check() {
        return x.sum().greater(x.sum().constantLike(0));
    }

    @Test
    void whatABranchMayLeaveOutIsWaitedForAsBefore() {
        Value chosen = ops.placeholder("chosen", DType.BOOL, Shape.SCALAR);
        Node branch = graph.add(new Switch(), List.of(x.edge(), chosen.edge()));
        Node pivot = graph.add(new Identity(), List.of(branch.edge(1)));
        Value inside;
        try (var _ = graph.after(pivot)) {
            inside = ops.constant(1f).plus(2);
        }
        Subgraph s = loosen(Cut.run(graph, List.of(x.edge(), chosen.edge()), List.of(inside.edge()), List.of()), true);
        assertEquals(1, Passes.names(s).stream().filter("Identity"::equals).count());
        assertEquals(1, Passes.names(s).stream().filter("Switch"::equals).count());
    }

    @Test
    void wishesToBeTogetherStayWhereThereAreSeveralDevices() {
        Value y;
        try (var _ = graph.colocateWith(x.node())) {
            y = x.tanh();
        }
        Subgraph cut = Cut.run(graph, List.of(x.edge()), List.of(y.edge()), List.of());
        assertSame(cut, loosen(cut, false));
        Subgraph s = loosen(cut, true);
        assertEquals(List.of(), s.roots().getFirst().input(0).node().colocations());
    }

    private Value read() {
        return Value.apply(Ops.named("ReadVariableOp", Map.of("dtype", DType.F32)), Value.of(handle));
    }

    private Node assign(Value to) {
        return graph.add(Ops.named("AssignVariableOp", Map.of()), List.of(handle, to.edge()));
    }

    private Subgraph loosened(Value fetched) {
        return loosened(List.of(fetched.edge()), List.of());
    }

    private Subgraph loosened(List<Edge> fetches, List<Node> targets) {
        return loosen(Cut.run(graph, List.of(x.edge()), fetches, targets), false);
    }

    private static Subgraph loosen(Subgraph s, boolean oneDevice) {
        return Passes.run(s, new Loosen(oneDevice), new Prune());
    }

    private static String name(Node n) {
        return n.op().signature().name();
    }
}
