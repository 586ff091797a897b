package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients of collective ops against finite differences of the whole function of all ranks' inputs. */
final class CollectiveGradientsTest {
    private static final int ROWS = 4;
    private static final double STEP = 1e-5;

    /** What a rank makes of its input, of which the loss is some function. */
    private interface Piece {
        Value build(Ranks.Rank rank, Value x);
    }

    private static Value rows(Value x, long... rows) {
        return x.ops().constant(Tensor.of(Shape.of(rows.length), rows));
    }

    private static long[] sends(int rank, int size) {
        long[] sends = new long[size];
        for (int i = 0; i < ROWS; i++) sends[(i * i + rank) % size]++;
        return sends;
    }

    private static Value shifted(Ranks.Rank r, Value x) {
        int next = (r.number() + 1) % r.size(), before = (r.number() + r.size() - 1) % r.size();
        if (r.size() == 1) return x;
        Value sent = Value.apply(RankSend.to(next, "shift"), x);
        return Value.apply(RankRecv.from(before, "shift"), x).plus(sent);
    }

    static Stream<Arguments> pieces() {
        List<Arguments> all = new ArrayList<>();
        for (int size = 1; size <= 3; size++) {
            int last = size - 1;
            add(all, size, "AllReduce sum", (_, x) -> Value.apply(AllReduce.of(Reduction.SUM), x));
            add(
                    all,
                    size,
                    "AllReduce mean, keyed",
                    (_, x) -> Value.apply(AllReduce.of(Reduction.MEAN).withKey("mean"), x));
            add(all, size, "AllReduce of two", (_, x) -> {
                List<Value> y = Value.applyAll(AllReduce.of(Reduction.SUM), x, x.square());
                return y.get(0).times(y.get(1));
            });
            add(all, size, "ReduceScatter sum", (_, x) -> Value.apply(ReduceScatter.of(Reduction.SUM), x, rows(x)));
            add(all, size, "ReduceScatter mean", (_, x) -> Value.apply(ReduceScatter.of(Reduction.MEAN), x, rows(x)));
            add(
                    all,
                    size,
                    "AllGather",
                    (_, x) -> Value.applyAll(AllGather.even(), x).get(0));
            add(
                    all,
                    size,
                    "AllGather ragged",
                    (_, x) -> Value.applyAll(
                                    AllGather.anyRows(), Value.apply(ReduceScatter.of(Reduction.SUM), x, rows(x)))
                            .get(0));
            add(all, size, "Broadcast", (_, x) -> Value.apply(Broadcast.from(last), x));
            add(all, size, "Reduce", (_, x) -> Value.apply(Reduce.to(last, Reduction.SUM), x));
            add(
                    all,
                    size,
                    "AllToAll",
                    (_, x) -> Value.applyAll(new AllToAll(), x, rows(x)).get(0));
            add(
                    all,
                    size,
                    "AllToAll with rows",
                    (r, x) -> Value.applyAll(new AllToAll(), x, rows(x, sends(r.number(), r.size())))
                            .get(0));
            add(all, size, "RankSend and RankRecv", CollectiveGradientsTest::shifted);
        }
        return all.stream();
    }

    private static void add(List<Arguments> all, int size, String name, Piece piece) {
        all.add(Arguments.of(size, name, piece));
    }

    private record Losses(double[] gradient, double[] at) {}

    @ParameterizedTest(name = "{1}, {0} ranks")
    @MethodSource("pieces")
    void gradientsAreTheDifferencesOfTheSumOfAllLosses(int size, String name, Piece piece) {
        try (Ranks ranks = new Ranks(size)) {
            List<Losses> all = ranks.run(r -> losses(r, piece));
            int n = all.get(0).gradient.length;
            for (int p = 0; p < size; p++) {
                for (int i = 0; i < n; i++) {
                    double up = 0, down = 0;
                    for (Losses l : all) {
                        up += l.at[2 * (p * n + i)];
                        down += l.at[2 * (p * n + i) + 1];
                    }
                    assertEquals((up - down) / (2 * STEP), all.get(p).gradient[i], 1e-6, "rank " + p + ", " + i);
                }
            }
        }
    }

    /** This rank's gradient, and its loss when each element of each rank is moved up and down. */
    private static Losses losses(Ranks.Rank r, Piece piece) {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F64, Shape.of(ROWS, 2));
        Value y = piece.build(r, x);
        Value loss = y.times(y).times(r.number() + 1).plus(y.sin()).sum();
        Value dx = Gradients.of(loss, x).get(0);
        Random random = new Random(r.number());
        double[] start = random.doubles(2 * ROWS).toArray();
        int n = start.length;
        double[] at = new double[2 * n * r.size()];
        try (Session s = r.open(g)) {
            double[] gradient = run(s, x.edge(), start, dx.edge());
            for (int k = 0; k < at.length; k++) {
                double[] moved = start.clone();
                int element = k / 2;
                if (element / n == r.number()) moved[element % n] += k % 2 == 0 ? STEP : -STEP;
                at[k] = run(s, x.edge(), moved, loss.edge())[0];
            }
            return new Losses(gradient, at);
        }
    }

    private static double[] run(Session s, Edge x, double[] values, Edge fetch) {
        try (Tensor fed = Tensor.of(Shape.of(ROWS, 2), values);
                Tensor t = s.feed(x, fed).fetch(fetch).run().get(0)) {
            return t.doubles();
        }
    }

    @Test
    void aMaximumIsNotDifferentiable() {
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder(DType.F32, Shape.of(2));
        Value y = Value.apply(AllReduce.of(Reduction.MAX), x);
        OxbowException e = assertThrows(OxbowException.class, () -> Gradients.of(y, x));
        assertTrue(
                e.getMessage().contains("AllReduce: only a sum and a mean are differentiable, max is not"),
                e::getMessage);
    }

    @Test
    void gradientsOfKeyedOpsHaveKeysThatDoNotClash() {
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder(DType.F32, Shape.of(2));
        Value y = Value.apply(AllReduce.of(Reduction.SUM).withKey("k"), x);
        Value once = Gradients.of(y.square(), x).get(0),
                twice = Gradients.of(y, x).get(0);
        assertEquals("k/gradient", ((AllReduce) once.node().op()).key());
        assertEquals("k/gradient_1", ((AllReduce) twice.node().op()).key());
    }
}
