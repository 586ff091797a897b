package dev.oxbow.testing.graph;

import static dev.oxbow.testing.graph.Passes.count;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Unpack;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.math.Relu6;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.rewrite.JoinProducts;
import dev.oxbow.ops.rewrite.PoolFirst;
import dev.oxbow.ops.rewrite.SpreadLast;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The stages that know ops, each alone, from graph to graph. */
final class OpRewritesTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F16", "BF16", "F32", "F64"})
    void aSumOfProductsOverRowsBecomesOneProductInTheOrderOfAPackThatIsThere(DType t) {
        Value x = ops.placeholder("x", t, Shape.of(3, 2, 8)), y = ops.placeholder("y", t, Shape.of(3, 2, 6));
        List<Value> a = Value.applyAll(new Unpack(3, 0), x), b = Value.applyAll(new Unpack(3, 0), y);
        Value[] products = new Value[3];
        for (int i = 0; i < 3; i++) products[i] = a.get(2 - i).matMul(b.get(2 - i), true, false);
        Value sum = Value.apply(new AddN(), products), pack = Value.apply(new Pack(0), b.toArray(Value[]::new));
        Subgraph s = Passes.run(
                Cut.run(graph, List.of(x.edge(), y.edge()), List.of(sum.edge(), pack.edge()), List.of()),
                new JoinProducts(),
                new Deduplicate());
        assertEquals(1, count(s, "MatMul"));
        assertEquals(2, count(s, "Pack"));
        assertEquals(Shape.of(8, 6), s.roots().get(0).input(0).type().shape());
    }

    @Test
    void productsThatAreReadElsewhereOrSmallerThanTheirInputsStayAsTheyAre() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2, 8)), y = ops.placeholder("y", DType.F32, Shape.of(2, 6));
        Value p = x.matMul(y, true, false), q = x.tanh().matMul(y, true, false);
        Value sum = Value.apply(new AddN(), p, q);
        Value small = Value.apply(new AddN(), x.matMul(x, false, true), x.tanh().matMul(x, false, true));
        List<Edge> fetched = List.of(sum.edge(), q.plus(1).edge(), small.edge());
        Subgraph s = Cut.run(graph, List.of(x.edge(), y.edge()), fetched, List.of());
        assertSame(s, Passes.run(s, new JoinProducts()));
    }

    /** A rectified image with a bias, its pool, and the gradients of a loss of that. */
    private final class Net {
        final Value x;
        final Value b = ops.placeholder("b", DType.F32, Shape.of(3));
        final Value y;
        final Value z;
        final List<Value> gradients;

        Net(String format, Op rectifier) {
            boolean last = format.equals("NHWC");
            x = ops.placeholder("x", DType.F32, last ? Shape.of(2, 6, 6, 3) : Shape.of(2, 3, 6, 6));
            y = Value.apply(rectifier, Value.apply(new BiasAdd(format), x, b));
            List<Long> two = last ? List.of(1L, 2L, 2L, 1L) : List.of(1L, 1L, 2L, 2L);
            z = Value.apply(new MaxPool(two, two, "VALID", List.of(), format), y);
            gradients = Gradients.of(z.square().sum(), x, b);
        }

        Subgraph cut(Value... more) {
            List<Edge> fetched = Stream.concat(Stream.of(z), Stream.of(more))
                    .map(Value::edge)
                    .toList();
            return Cut.run(graph, List.of(x.edge(), b.edge()), fetched, List.of());
        }

        List<float[]> values(boolean optimise) {
            Random random = new Random(7);
            List<float[]> all = new ArrayList<>();
            try (Session s = Session.open(graph, SessionOptions.defaults().withOptimise(optimise));
                    Tensor fed = random(random, x.shape());
                    Tensor bias = random(random, b.shape())) {
                var run = s.feed(x.edge(), fed).feed(b.edge(), bias);
                for (Tensor t : run.fetch(
                                z.edge(),
                                gradients.get(0).edge(),
                                gradients.get(1).edge())
                        .run()) {
                    all.add(t.floats());
                    t.close();
                }
            }
            return all;
        }
    }

    private static Tensor random(Random random, Shape shape) {
        float[] values = new float[(int) shape.size()];
        for (int i = 0; i < values.length; i++) values[i] = random.nextInt(-8, 15) / 2f;
        return Tensor.of(shape, values);
    }

    @ParameterizedTest
    @CsvSource({"NHWC, Relu", "NCHW, Relu", "NHWC, Relu6", "NCHW, Relu6"})
    void aMaximumOverWindowsIsTakenBeforeBiasAndRectifier(String format, String name) {
        Op rectifier = name.equals("Relu") ? new Relu() : new Relu6();
        Net net = new Net(format, rectifier);
        Value dx = net.gradients.get(0), db = net.gradients.get(1);
        Subgraph s = Passes.run(net.cut(dx, db), new SpreadLast(), new PoolFirst());
        Node last = s.roots().get(0).input(0).node(), bias = last.input(0).node();
        assertEquals(net.z.shape(), bias.output(0).shape());
        Node pool = bias.input(0).node(), gradient = s.roots().get(1).input(0).node();
        assertEquals(List.of(name, "BiasAdd", "MaxPool", "MaxPoolGrad"), names(last, bias, pool, gradient));
        assertEquals(List.of(pool.input(0), pool.edge(0)), gradient.inputs().subList(0, 2));
        Node sum = s.roots().get(2).input(0).node();
        assertEquals(
                List.of("BiasAddGrad", name + "Grad"), names(sum, sum.input(0).node()));
        assertEquals(net.z.shape(), sum.input(0).type().shape());
        List<float[]> plain = net.values(false), optimised = net.values(true);
        for (int i = 0; i < plain.size(); i++) assertArrayEquals(plain.get(i), optimised.get(i));
    }

    @Test
    void whatOthersReadIsNotMovedBehindAMaximum() {
        Net net = new Net("NHWC", new Relu());
        Subgraph s = net.cut(net.y);
        assertSame(s, Passes.run(s, new PoolFirst()));
    }

    @Test
    void aRectifierWhoseGradientIsNotMaskedStaysBeforeTheMaximum() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1, 2, 2, 1)), b = ops.constant(Tensor.of(Shape.of(1), 1f));
        Value y = Value.apply(new Relu(), x), sum = Value.apply(new BiasAdd(), y, b);
        List<Long> two = List.of(1L, 2L, 2L, 1L);
        Value z = Value.apply(new MaxPool(two, two, "VALID"), sum);
        Value dy = Gradients.of(z.sum(), y).get(0);
        Subgraph s = Passes.run(
                Cut.run(graph, List.of(x.edge()), List.of(z.edge(), dy.edge()), List.of()),
                new SpreadLast(),
                new PoolFirst());
        Node bias = s.roots().get(0).input(0).node(), pool = bias.input(0).node();
        assertEquals(
                List.of("BiasAdd", "MaxPool", "Relu"),
                names(bias, pool, pool.input(0).node()));
    }

    @Test
    void aGradientThatIsReadAsItIsIsSpreadFirst() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1, 4, 4, 1));
        Value y = Value.apply(new Relu(), x);
        List<Long> two = List.of(1L, 2L, 2L, 1L);
        Value loss = Value.apply(new MaxPool(two, two, "VALID"), y).sum();
        List<Value> d = Gradients.of(loss, x, y);
        Subgraph s = Cut.run(
                graph, List.of(x.edge()), List.of(d.get(0).edge(), d.get(1).edge()), List.of());
        assertSame(s, Passes.run(s, new SpreadLast()));
    }

    private static List<String> names(Node... nodes) {
        return Stream.of(nodes).map(n -> n.op().signature().name()).toList();
    }
}
