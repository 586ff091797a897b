package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.JoinProducts;
import dev.oxbow.graph.pass.PoolFirst;
import dev.oxbow.graph.pass.RowGroups;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.ops.Gradients;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each pass alone, from graph to graph. */
final class PassesTest {
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
    void foldingComputesConstantsAndShapesAndKeepsControlEdges() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2, 3));
        Node gate = graph.add(new NoOp(), List.of());
        Value sum;
        try (var _ = graph.after(gate)) {
            sum = ops.constant(2f).plus(3);
        }
        Subgraph s = Fold.run(Cut.run(
                graph,
                List.of(x.edge()),
                List.of(sum.edge(), x.tanh().runtimeShape().edge()),
                List.of()));
        Node folded = s.roots().get(0).input(0).node();
        assertEquals(5, ((Const) folded.op()).value().getDouble(0));
        assertTrue(folded.controls().stream().anyMatch(n -> n.op() instanceof NoOp));
        Const shape = (Const) s.roots().get(1).input(0).node().op();
        assertEquals(3, shape.value().getLong(1));
    }

    @Test
    void equalPureNodesBecomeOneAndRandomOnesDoNot() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2));
        Value a = x.tanh().plus(x), b = x.tanh().plus(x);
        var random = Ops.named("RandomUniform", Map.of("dtype", DType.F32));
        Value shape = ops.constant(new int[] {2});
        Value r = Value.apply(random, shape), q = Value.apply(random, shape);
        Subgraph s = Deduplicate.run(Cut.run(
                graph, List.of(x.edge()), List.of(a.plus(b).edge(), r.plus(q).edge()), List.of()));
        assertEquals(1, names(s).stream().filter("Tanh"::equals).count());
        assertEquals(2, names(s).stream().filter("RandomUniform"::equals).count());
    }

    @Test
    void aSumOfProductsOverRowsBecomesOneProductInTheOrderOfAPackThatIsThere() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(3, 2, 8)),
                y = ops.placeholder("y", DType.F32, Shape.of(3, 2, 6));
        var unpack = Ops.named("Unpack", Map.of("num", 3L));
        List<Value> a = Value.applyAll(unpack, x), b = Value.applyAll(unpack, y);
        Value[] products = new Value[3];
        for (int i = 0; i < 3; i++) products[i] = a.get(2 - i).matMul(b.get(2 - i), true, false);
        Value sum = Value.apply(Ops.named("AddN", Map.of()), products);
        Value pack = Value.apply(Ops.named("Pack", Map.of()), b.toArray(Value[]::new));
        Subgraph s = Deduplicate.run(JoinProducts.run(
                Cut.run(graph, List.of(x.edge(), y.edge()), List.of(sum.edge(), pack.edge()), List.of())));
        assertEquals(1, names(s).stream().filter("MatMul"::equals).count());
        assertEquals(2, names(s).stream().filter("Pack"::equals).count());
        assertEquals(Shape.of(8, 6), s.roots().get(0).input(0).type().shape());
    }

    @Test
    void productsThatAreReadElsewhereOrSmallerThanTheirInputsStayAsTheyAre() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2, 8)), y = ops.placeholder("y", DType.F32, Shape.of(2, 6));
        Value p = x.matMul(y, true, false), q = x.tanh().matMul(y, true, false);
        Value sum = Value.apply(Ops.named("AddN", Map.of()), p, q);
        Value small = Value.apply(
                Ops.named("AddN", Map.of()), x.matMul(x, false, true), x.tanh().matMul(x, false, true));
        Subgraph s = JoinProducts.run(Cut.run(
                graph,
                List.of(x.edge(), y.edge()),
                List.of(sum.edge(), q.plus(1).edge(), small.edge()),
                List.of()));
        assertEquals(4, names(s).stream().filter("MatMul"::equals).count());
    }

    @Test
    void aSumOverManyRowsIsTakenInGroupsOfRowsFirst() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1024, 64)), y = x.tanh();
        Value open = ops.placeholder("open", DType.F32, Shape.of(-1, 64)).tanh();
        List<Edge> fetched = List.of(
                y.sum(0).edge(), y.mean().edge(), y.sum(1).edge(), open.sum(0).edge());
        Subgraph s = RowGroups.run(Cut.run(graph, List.of(x.edge()), fetched, List.of()));
        assertEquals(2, names(s).stream().filter("_GroupedReduction"::equals).count());
        Node last = s.roots().get(0).input(0).node();
        assertEquals(Shape.of(16, 64), last.input(0).type().shape());
        assertEquals(Shape.of(64), last.output(0).shape());
        assertEquals(Shape.SCALAR, s.roots().get(1).input(0).type().shape());
    }

    @Test
    void aMaximumOverWindowsIsTakenBeforeBiasAndRectifierUnlessOthersReadThem() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2, 6, 6, 3)),
                b = ops.placeholder("b", DType.F32, Shape.of(3));
        Value y = Value.apply(Ops.named("BiasAdd", Map.of()), x, b).relu();
        List<Long> two = List.of(1L, 2L, 2L, 1L);
        Value z = Value.apply(Ops.named("MaxPool", Map.of("ksize", two, "strides", two, "padding", "VALID")), y);
        Value loss = z.square().sum();
        List<Value> d = Gradients.of(loss, x, b);
        List<Edge> fetched = List.of(z.edge(), d.get(0).edge(), d.get(1).edge());
        Subgraph s = PoolFirst.run(Cut.run(graph, List.of(x.edge(), b.edge()), fetched, List.of()));
        Node rectifier = s.roots().get(0).input(0).node(),
                bias = rectifier.input(0).node();
        assertEquals(Shape.of(2, 3, 3, 3), bias.output(0).shape());
        Node pool = bias.input(0).node(), gradient = s.roots().get(1).input(0).node();
        assertEquals(List.of("Relu", "BiasAdd", "MaxPool", "MaxPoolGrad"), names(rectifier, bias, pool, gradient));
        assertEquals(List.of(pool.input(0), pool.edge(0)), gradient.inputs().subList(0, 2));
        assertEquals(
                "ReluGrad",
                s.roots()
                        .get(2)
                        .input(0)
                        .node()
                        .input(0)
                        .node()
                        .op()
                        .signature()
                        .name());

        Subgraph kept =
                PoolFirst.run(Cut.run(graph, List.of(x.edge(), b.edge()), List.of(z.edge(), y.edge()), List.of()));
        assertEquals(
                "MaxPool", kept.roots().get(0).input(0).node().op().signature().name());
    }

    @Test
    void aLargeProductThatOnlyAnUpdateReadsBecomesPartOfIt() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(4, 1024)),
                dy = ops.placeholder("dy", DType.F32, Shape.of(4, 1024));
        Parameter w = Parameter.of("w", ops.constant(Tensor.zeros(DType.F32, Shape.of(1024, 1024))));
        Value g = x.matMul(dy, true, false);
        Node update = graph.add(
                Ops.named("ResourceApplyGradientDescent", Map.of()),
                List.of(w.handle().edge(), ops.constant(1f).edge(), g.edge()));
        List<Edge> feeds = List.of(x.edge(), dy.edge());
        Subgraph s = Absorb.run(Cut.run(graph, feeds, List.of(), List.of(update)));
        assertEquals(4, s.roots().get(0).inputCount());
        assertEquals(0, names(s).stream().filter("MatMul"::equals).count());
        Subgraph fetched = Absorb.run(Cut.run(graph, feeds, List.of(g.edge()), List.of(update)));
        assertEquals(1, names(fetched).stream().filter("MatMul"::equals).count());
    }

    private static List<String> names(Node... nodes) {
        return Stream.of(nodes).map(n -> n.op().signature().name()).toList();
    }

    private static List<String> names(Subgraph s) {
        return s.graph().nodes().stream().map(n -> n.op().signature().name()).toList();
    }
}
