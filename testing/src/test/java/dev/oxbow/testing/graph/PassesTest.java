package dev.oxbow.testing.graph;

import static dev.oxbow.testing.graph.Passes.count;
import static dev.oxbow.testing.graph.Passes.names;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Expanding;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Expand;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.graph.pass.RowGroups;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.random.RandomUniform;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each pass alone, from graph to graph. */
public final class PassesTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @Test
    void aCutKeepsWhatIsNeededAndStopsAtFeeds() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), y = x.tanh(), z = y.plus(1);
        x.exp();
        Subgraph s = Cut.run(graph, List.of(y.edge()), List.of(z.edge()), List.of());
        assertEquals(List.of("_Arg", "Const", "AddV2", "_Retval"), names(s));
    }

    @Test
    void aPassThatFindsNothingReturnsItsGraph() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), loop = x;
        loop = ops.whileLoop(
                        v -> v.get(0).sum().less(ops.constant(9f)),
                        v -> List.of(v.get(0).times(v.get(0))),
                        List.of(loop))
                .get(0);
        Subgraph s = Passes.run(
                Cut.run(graph, List.of(x.edge()), List.of(loop.edge()), List.of()),
                new Inline(),
                new Infer(),
                new Fold(),
                new Deduplicate(),
                new Prune());
        List<Rewrite> all = new ArrayList<>(OpRegistry.get().rewrites());
        all.addAll(List.of(
                new Inline(),
                new Expand(),
                new RowGroups(),
                new Infer(),
                new Fold(),
                new Deduplicate(),
                new Prune(),
                new Absorb()));
        for (Rewrite r : all) assertSame(s, Passes.run(s, r), r.name());
        assertEquals(
                List.of("simplify", "turn", "join", "spread", "pool"),
                all.stream().map(Rewrite::name).toList().subList(0, 5));
    }

    @Test
    void explainingNamesEachStageWithItsPurpose() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2));
        List<Edge> fetches = List.of(x.tanh().edge());
        String text;
        try (Session s = Session.open(graph)) {
            text = s.explain(List.of(x.edge()), fetches, List.of(), false);
        }
        for (Rewrite r : OpRegistry.get().rewrites()) {
            String stage = "%s: %s%n  nothing to do%n".formatted(r.name(), r.purpose());
            assertTrue(text.contains(stage), text);
        }
        assertTrue(text.contains("cut: " + Cut.PURPOSE), text);
    }

    /** An op that is expanded to a number of another type than it has. */
    @Signature("Wrong(x: float) -> (y: float) {}")
    public record Wrong() implements Expanding {
        @Override
        public Expansion expand(Services services, Node node, List<Edge> inputs, Graph out) {
            Node n = out.derive(node, new NodeSpec(node.name(), new Const(Tensor.scalar(1)), List.of()));
            return new Expansion(n, List.of(n.edge(0)), new NoOp());
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> c.forward(0, 0);
        }
    }

    @Test
    void inTestsEveryStageThatBreaksAGraphIsNamed() {
        assumeTrue(Boolean.getBoolean("oxbow.verify"));
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)),
                y = Value.apply(new Wrong(), x).tanh();
        try (Session session = Session.open(graph)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> session.explain(List.of(x.edge()), List.of(y.edge()), List.of(), false));
            assertTrue(e.getMessage().startsWith("after 'expand': Tanh"), e.getMessage());
        }
    }

    @Test
    void inliningPutsBodiesInThePlaceOfCallsAndKeepsTheirEffects() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2));
        Parameter w = Parameter.of("w", ops.constant(Tensor.of(Shape.of(2), 1f, 2f)));
        Value y = ops.cond(x.sum().less(ops.constant(1f)), () -> List.of(x.plus(w.value())), () -> List.of(x.times(2)))
                .get(0);
        Subgraph cut = Cut.run(graph, List.of(x.edge()), List.of(y.edge()), List.of());
        Subgraph s = Passes.run(cut, new Inline());
        assertNotSame(cut, s);
        assertEquals(0, count(s, "If") + count(s, "StatelessIf"));
        assertEquals(1, count(s, "AddV2"));
        assertTrue(count(s, "Switch") > 0 && count(s, "Merge") > 0, () -> names(s).toString());
    }

    @Test
    void aLoopBecomesAFrameThatIsEnteredAndLeftOnceForEachVariable() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), n = ops.constant(0);
        List<Value> loop = ops.whileLoop(
                v -> v.get(1).less(ops.constant(3)),
                v -> List.of(v.get(0).tanh(), v.get(1).plus(1)),
                List.of(x, n));
        Subgraph s =
                Passes.run(Cut.run(graph, List.of(x.edge()), List.of(loop.get(0).edge()), List.of()), new Inline());
        assertEquals(
                List.of(2L, 2L, 2L, 2L, 1L, 1L),
                List.of(
                        count(s, "Enter"),
                        count(s, "Exit"),
                        count(s, "Merge"),
                        count(s, "NextIteration"),
                        count(s, "LoopCond"),
                        count(s, "Tanh")));
    }

    @Test
    void shapesOfFedValuesTellThoseOfOthers() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 3)), y = x.tanh().sum(1);
        Subgraph s = Passes.run(
                Cut.run(graph, List.of(x.edge()), List.of(Shape.of(5, 3)), List.of(y.edge()), List.of()), new Infer());
        assertEquals(Shape.of(-1), y.shape());
        assertEquals(Shape.of(5), s.roots().get(0).input(0).type().shape());
    }

    @Test
    void pruningDropsWhatNoRootNeedsAndKeepsWhatRunsBefore() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), y = x.tanh(), z;
        try (var _ = graph.after(graph.add(new NoOp(), List.of()))) {
            z = x.exp();
        }
        Subgraph both = Cut.run(graph, List.of(x.edge()), List.of(), List.of(y.node(), z.node()));
        Subgraph s = Passes.run(new Subgraph(both.graph(), both.roots().subList(0, 1)), new Prune());
        assertEquals(List.of("_Arg", "Tanh"), names(s));
        assertTrue(names(Passes.run(both, new Prune())).contains("NoOp"));
    }

    @Test
    void foldingComputesConstantsAndShapesAndKeepsControlEdges() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2, 3));
        Node gate = graph.add(new NoOp(), List.of());
        Value sum;
        try (var _ = graph.after(gate)) {
            sum = ops.constant(2f).plus(3);
        }
        Value shape = x.tanh().runtimeShape();
        Subgraph s =
                Passes.run(Cut.run(graph, List.of(x.edge()), List.of(sum.edge(), shape.edge()), List.of()), new Fold());
        Node folded = s.roots().get(0).input(0).node();
        assertEquals(5, ((Const) folded.op()).value().getDouble(0));
        assertTrue(folded.controls().stream().anyMatch(n -> n.op() instanceof NoOp));
        Const dims = (Const) s.roots().get(1).input(0).node().op();
        assertEquals(3, dims.value().getLong(1));
    }

    @Test
    void equalPureNodesBecomeOneAndRandomOnesDoNot() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2));
        Value a = x.tanh().plus(x), b = x.tanh().plus(x);
        Op random = new RandomUniform(0, 0, DType.F32);
        Value shape = ops.constant(new int[] {2});
        Value r = Value.apply(random, shape), q = Value.apply(random, shape);
        List<Edge> fetched = List.of(a.plus(b).edge(), r.plus(q).edge());
        Subgraph s = Passes.run(Cut.run(graph, List.of(x.edge()), fetched, List.of()), new Deduplicate());
        assertEquals(1, count(s, "Tanh"));
        assertEquals(2, count(s, "RandomUniform"));
    }

    @Test
    void aSumOverManyRowsIsTakenInGroupsOfRowsFirst() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1024, 64)), y = x.tanh();
        Value open = ops.placeholder("open", DType.F32, Shape.of(-1, 64)).tanh();
        List<Edge> fetched = List.of(
                y.sum(0).edge(), y.mean().edge(), y.sum(1).edge(), open.sum(0).edge());
        Subgraph s = Passes.run(Cut.run(graph, List.of(x.edge()), fetched, List.of()), new RowGroups());
        assertEquals(2, count(s, "_GroupedReduction"));
        Node last = s.roots().get(0).input(0).node();
        assertEquals(Shape.of(16, 64), last.input(0).type().shape());
        assertEquals(Shape.of(64), last.output(0).shape());
        assertEquals(Shape.SCALAR, s.roots().get(1).input(0).type().shape());
    }

    @Test
    void namesThatAPassMakesDoNotTakeThoseOfNodesToCome() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1024, 64)),
                y = x.tanh().sum(0);
        Value taken = Value.of(graph.add(x.exp().node().op(), y.node().name() + "/groups", List.of(x.edge()))
                .edge(0));
        Subgraph cut = Cut.run(graph, List.of(x.edge()), List.of(y.edge(), taken.edge()), List.of());
        Subgraph s = Passes.run(cut, new RowGroups());
        assertEquals(taken.node().name(), s.roots().get(1).input(0).node().name());
    }

    @Test
    void aLargeProductThatOnlyAnUpdateReadsBecomesPartOfIt() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(4, 1024)),
                dy = ops.placeholder("dy", DType.F32, Shape.of(4, 1024));
        Parameter w = Parameter.of("w", ops.constant(Tensor.zeros(DType.F32, Shape.of(1024, 1024))));
        Value g = x.matMul(dy, true, false);
        Node update = graph.add(
                new ResourceApplyGradientDescent(),
                List.of(w.handle().edge(), ops.constant(1f).edge(), g.edge()));
        List<Edge> feeds = List.of(x.edge(), dy.edge());
        Subgraph s = Passes.run(Cut.run(graph, feeds, List.of(), List.of(update)), new Absorb());
        assertEquals(4, s.roots().get(0).inputCount());
        assertEquals(0, count(s, "MatMul"));
        Subgraph fetched = Passes.run(Cut.run(graph, feeds, List.of(g.edge()), List.of(update)), new Absorb());
        assertEquals(1, count(fetched, "MatMul"));
    }
}
