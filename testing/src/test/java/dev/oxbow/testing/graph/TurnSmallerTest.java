package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.rewrite.TurnSmaller;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A product of rows whose first two dimensions are exchanged, as recurrent layers make it, with its gradients. */
final class TurnSmallerTest {
    private static final int BATCH = 4, TIME = 3, IN = 2, OUT = 5;

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private Value product(Value x, Value w, Value b) {
        Value rows = x.reshape(-1, x.shape().dim(2)).matMul(w);
        return Value.apply(new BiasAdd(), rows, b).reshape(-1, TIME, w.shape().dim(1));
    }

    private final class Net {
        final Value x, w, b, y, d;
        final List<Value> gradients;

        Net(long batch, int in, int out) {
            x = ops.placeholder("x", DType.F32, Shape.of(batch, TIME, in));
            w = ops.placeholder("w", DType.F32, Shape.of(in, out));
            b = ops.placeholder("b", DType.F32, Shape.of(out));
            y = product(x, w, b).transpose(1, 0, 2);
            d = ops.placeholder("d", DType.F32, Shape.of(TIME, batch, out));
            gradients = Gradients.of(List.of(y.times(d).sum()), List.of(w, b, x));
        }

        Subgraph part() {
            List<Edge> fetched = new ArrayList<>(List.of(y.edge()));
            gradients.forEach(g -> fetched.add(g.edge()));
            return Cut.run(graph, List.of(x.edge(), w.edge(), b.edge(), d.edge()), fetched, List.of());
        }
    }

    @Test
    void onlyTheInputsAndTheirGradientAreTurned() {
        Subgraph s = Passes.run(new Net(BATCH, IN, OUT).part(), new Fold(), new TurnSmaller(), new Prune());
        assertEquals(List.of(Shape.of(TIME, BATCH, IN), Shape.of(BATCH, TIME, IN)), turned(s));
        assertEquals(
                List.of(Shape.of(TIME, BATCH, OUT), Shape.of(IN, OUT), Shape.of(OUT), Shape.of(BATCH, TIME, IN)),
                s.roots().stream().map(r -> r.input(0).type().shape()).toList());
    }

    @Test
    void aBatchMayBeUnknown() {
        Net n = new Net(-1, IN, OUT);
        List<Edge> fed = List.of(n.x.edge(), n.w.edge(), n.b.edge());
        Subgraph s = Passes.run(Cut.run(graph, fed, List.of(n.y.edge()), List.of()), new TurnSmaller(), new Prune());
        assertEquals(List.of(Shape.of(TIME, -1, IN)), turned(s));
        assertEquals(
                Shape.of(TIME, -1, OUT), s.roots().getFirst().input(0).type().shape());
    }

    private static List<Shape> turned(Subgraph s) {
        return s.graph().nodes().stream()
                .filter(n -> n.op() instanceof Transpose)
                .map(n -> n.output(0).shape())
                .toList();
    }

    @Test
    void valuesAndGradientsAreThoseOfProductsThatAreTurnedThemselves() {
        Net n = new Net(BATCH, IN, OUT);
        Random random = new Random(7);
        Tensor x = random(random, BATCH, TIME, IN), w = random(random, IN, OUT), b = random(random, OUT);
        Tensor d = random(random, TIME, BATCH, OUT);
        List<Tensor> found;
        try (Session s = Session.open(graph)) {
            var run = s.feed(n.x.edge(), x)
                    .feed(n.w.edge(), w)
                    .feed(n.b.edge(), b)
                    .feed(n.d.edge(), d)
                    .fetch(n.y.edge());
            for (Value g : n.gradients) run = run.fetch(g.edge());
            var result = run.run();
            found = List.of(result.get(0), result.get(1), result.get(2), result.get(3));
        }
        double[] y = new double[TIME * BATCH * OUT], dw = new double[IN * OUT], db = new double[OUT];
        double[] dx = new double[BATCH * TIME * IN];
        for (int t = 0; t < TIME; t++) {
            for (int r = 0; r < BATCH; r++) {
                for (int o = 0; o < OUT; o++) {
                    int at = (t * BATCH + r) * OUT + o;
                    y[at] = b.getDouble(o);
                    db[o] += d.getDouble(at);
                    for (int i = 0; i < IN; i++) {
                        int from = (r * TIME + t) * IN + i;
                        y[at] += x.getDouble(from) * w.getDouble(i * OUT + o);
                        dw[i * OUT + o] += x.getDouble(from) * d.getDouble(at);
                        dx[from] += d.getDouble(at) * w.getDouble(i * OUT + o);
                    }
                }
            }
        }
        List<double[]> expected = List.of(y, dw, db, dx);
        for (int i = 0; i < 4; i++) {
            double[] values = new double[expected.get(i).length];
            for (int k = 0; k < values.length; k++) values[k] = found.get(i).getDouble(k);
            assertArrayEquals(expected.get(i), values, 1e-5, "result " + i);
        }
    }

    @Test
    void whatIsSmallerThanItsInputsIsTurnedItself() {
        Net n = new Net(BATCH, OUT, IN);
        Subgraph s = Passes.run(n.part(), new Fold(), new TurnSmaller(), new Prune());
        assertEquals(2, Passes.count(s, "Transpose")); // the result, and its gradient but for the sum of the bias
    }

    @Test
    void aProductThatOthersReadInItsOrderStays() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(BATCH, TIME, IN));
        Value cube = product(
                x,
                ops.constant(Tensor.zeros(DType.F32, Shape.of(IN, OUT))),
                ops.constant(Tensor.zeros(DType.F32, Shape.of(OUT))));
        List<Edge> both = List.of(cube.transpose(1, 0, 2).edge(), cube.tanh().edge());
        Subgraph s = Cut.run(graph, List.of(x.edge()), both, List.of());
        assertSame(s, Passes.run(s, new TurnSmaller()));
    }

    @Test
    void otherOrdersAndRowsOfOtherDimensionsStay() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(BATCH, TIME, IN));
        Value w = ops.constant(Tensor.zeros(DType.F32, Shape.of(IN, OUT)));
        Value rows = x.reshape(-1, IN).matMul(w);
        List<Edge> others = List.of(
                rows.reshape(BATCH, TIME, OUT).transpose(0, 2, 1).edge(),
                rows.reshape(TIME, BATCH, OUT).transpose(1, 0, 2).edge());
        Subgraph s = Cut.run(graph, List.of(x.edge()), others, List.of());
        assertSame(s, Passes.run(s, new TurnSmaller()));
    }

    private static Tensor random(Random random, long... dims) {
        Tensor t = Tensor.zeros(DType.F32, Shape.of(dims));
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextGaussian());
        return t;
    }
}
