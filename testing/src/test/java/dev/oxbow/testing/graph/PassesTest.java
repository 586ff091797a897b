package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.JoinProducts;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.Map;
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

    private static List<String> names(Subgraph s) {
        return s.graph().nodes().stream().map(n -> n.op().signature().name()).toList();
    }
}
