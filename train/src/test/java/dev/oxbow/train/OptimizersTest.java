package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Layers;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.optimizer.Schedule;
import dev.oxbow.train.state.Checkpoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every rule against its formula, written out in doubles, over several steps; dense gradients and rows. */
final class OptimizersTest {
    private static final int STEPS = 4;
    private static final double RATE = 0.1;
    private static final double[] START = {0.5, -1, 2, 0.25, -0.75, 1.5};

    /** The formula of a rule: changes parameters and slots, which start with zeros, by the gradient of step {@code t}. */
    private interface Formula {
        void step(double[] w, double[] a, double[] b, double[] g, int t);
    }

    /** Other gradients in each step, with one that is zero. */
    private static double[] gradient(int t, int n) {
        return IntStream.range(0, n)
                .mapToDouble(i -> i == 3 ? 0 : Math.sin(1 + t + 2 * i) * 2)
                .toArray();
    }

    /** Parameters after some steps; {@code rows} are those of three that get a gradient, or null for all. */
    private static double[] run(Optimizer o, int[] rows) {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Parameter w = Parameter.named("w", ops.constant(Tensor.of(Shape.of(3, 2), START)));
        Parameter step = Parameter.named("step", ops.constant(Tensor.scalar(0L)));
        int n = rows == null ? 3 : rows.length;
        Value fed = ops.placeholder("g", DType.F64, Shape.of(n, 2));
        Value gradient = rows == null ? fed : new Slices(fed, ops.constant(rows), ops.constant(3, 2));
        Optimizer.Updates updates = o.apply(List.of(w), List.of(gradient), step.value());
        List<Node> all = new ArrayList<>(updates.nodes());
        try (Graph.Scope _ = g.after(all.toArray(Node[]::new))) {
            Value next = step.value().plus(1);
            all.add(g.add(new AssignVariableOp(false), List.of(step.handle().edge(), next.edge())));
        }
        try (Session s = Session.open(g)) {
            s.target(w.initialiser(), step.initialiser()).run().close();
            for (Parameter slot : updates.slots())
                s.target(slot.initialiser()).run().close();
            for (int t = 0; t < STEPS; t++)
                s.feed(fed.edge(), Tensor.of(Shape.of(n, 2), gradient(t, 2 * n)))
                        .target(all.toArray(Node[]::new))
                        .run()
                        .close();
            Parameter seen =
                    updates.averages().isEmpty() ? w : updates.averages().getFirst();
            try (Results r = s.fetch(seen.value().edge()).run()) {
                return r.get(0).doubles();
            }
        }
    }

    private static double[] expected(Formula f, double first) {
        double[] w = START.clone(), a = new double[6], b = new double[6];
        for (int i = 0; i < 6; i++) a[i] = first;
        for (int t = 0; t < STEPS; t++) f.step(w, a, b, gradient(t, 6), t + 1);
        return w;
    }

    /** Rows 2, 0, 2 get gradients: row 2 the sum of two, row 1 none, and it must not move. */
    private static double[] expectedRows(Formula f, double first) {
        double[] w = START.clone(), a = new double[6], b = new double[6];
        for (int i = 0; i < 6; i++) a[i] = first;
        for (int t = 0; t < STEPS; t++) {
            double[] g = gradient(t, 6);
            for (int row : new int[] {0, 2})
                for (int c = 0; c < 2; c++) {
                    int i = 2 * row + c;
                    double[] wi = {w[i]}, ai = {a[i]}, bi = {b[i]};
                    f.step(wi, ai, bi, new double[] {row == 0 ? g[2 + c] : g[c] + g[4 + c]}, t + 1);
                    w[i] = wi[0];
                    a[i] = ai[0];
                    b[i] = bi[0];
                }
        }
        return w;
    }

    private static void check(Optimizer o, double first, Formula f) {
        assertArrayEquals(expected(f, first), run(o, null), 1e-9);
        assertArrayEquals(expectedRows(f, first), run(o, new int[] {2, 0, 2}), 1e-9);
    }

    private interface Element {
        void at(int i);
    }

    private static void each(double[] w, Element e) {
        for (int i = 0; i < w.length; i++) e.at(i);
    }

    @Test
    void gradientDescent() {
        check(Optimizer.sgd(RATE), 0, (w, _, _, g, _) -> each(w, i -> w[i] -= RATE * g[i]));
    }

    @Test
    void momentumAndNesterov() {
        check(
                Optimizer.momentum(RATE, 0.9),
                0,
                (w, a, _, g, _) -> each(w, i -> {
                    a[i] = 0.9 * a[i] + g[i];
                    w[i] -= RATE * a[i];
                }));
        check(
                Optimizer.nesterov(RATE, 0.9),
                0,
                (w, a, _, g, _) -> each(w, i -> {
                    a[i] = 0.9 * a[i] + g[i];
                    w[i] -= RATE * (g[i] + 0.9 * a[i]);
                }));
    }

    @Test
    void adagrad() {
        check(
                Optimizer.adagrad(RATE),
                0.1,
                (w, a, _, g, _) -> each(w, i -> {
                    a[i] += g[i] * g[i];
                    w[i] -= RATE * g[i] / (Math.sqrt(a[i]) + 1e-7);
                }));
    }

    @Test
    void rmsProp() {
        check(
                Optimizer.rmsProp(RATE),
                0,
                (w, a, _, g, _) -> each(w, i -> {
                    a[i] = 0.9 * a[i] + 0.1 * g[i] * g[i];
                    w[i] -= RATE * g[i] / Math.sqrt(a[i] + 1e-7);
                }));
    }

    @Test
    void ftrl() {
        double l1 = 0.05, l2 = 0.2;
        check(
                Optimizer.ftrl(RATE, l1, l2),
                0.1,
                (w, a, b, g, _) -> each(w, i -> {
                    double n = a[i] + g[i] * g[i];
                    b[i] += g[i] - (Math.sqrt(n) - Math.sqrt(a[i])) / RATE * w[i];
                    a[i] = n;
                    double quadratic = Math.sqrt(n) / RATE + 2 * l2;
                    w[i] = Math.abs(b[i]) > l1 ? (Math.signum(b[i]) * l1 - b[i]) / quadratic : 0;
                }));
    }

    private static final Formula ADAM = (w, a, b, g, t) -> each(w, i -> {
        a[i] = 0.9 * a[i] + 0.1 * g[i];
        b[i] = 0.999 * b[i] + 0.001 * g[i] * g[i];
        double rate = RATE * Math.sqrt(1 - Math.pow(0.999, t)) / (1 - Math.pow(0.9, t));
        w[i] -= rate * a[i] / (Math.sqrt(b[i]) + 1e-8);
    });

    @Test
    void adamMovesAllRows() {
        assertArrayEquals(expected(ADAM, 0), run(Optimizer.adam(RATE), null), 1e-9);
        double[] w = START.clone(), a = new double[6], b = new double[6];
        for (int t = 0; t < STEPS; t++) {
            double[] g = gradient(t, 4);
            ADAM.step(w, a, b, new double[] {g[0] + g[2], g[1] + g[3], 0, 0, 0, 0}, t + 1);
        }
        assertArrayEquals(w, run(Optimizer.adam(RATE), new int[] {0, 0}), 1e-9);
    }

    @Test
    void adamWShrinksApartFromTheGradient() {
        Formula f = (w, a, b, g, t) -> {
            each(w, i -> w[i] -= RATE * 0.3 * w[i]);
            ADAM.step(w, a, b, g, t);
        };
        assertArrayEquals(expected(f, 0), run(Optimizer.adamW(RATE, 0.3), null), 1e-9);
    }

    @Test
    void lambFollowsTheLengthOfTheParameter() {
        Formula f = (w, a, b, g, t) -> {
            double[] r = new double[6];
            double length = 0, step = 0;
            for (int i = 0; i < 6; i++) {
                a[i] = 0.9 * a[i] + 0.1 * g[i];
                b[i] = 0.999 * b[i] + 0.001 * g[i] * g[i];
                double m = a[i] / (1 - Math.pow(0.9, t)), v = b[i] / (1 - Math.pow(0.999, t));
                r[i] = m / (Math.sqrt(v) + 1e-6) + 0.3 * w[i];
                length += w[i] * w[i];
                step += r[i] * r[i];
            }
            double ratio = Math.sqrt(length / step);
            each(w, i -> w[i] -= RATE * ratio * r[i]);
        };
        assertArrayEquals(expected(f, 0), run(Optimizer.lamb(RATE, 0.3), null), 1e-9);
    }

    /** {@code H} written out as a matrix: {@code H = (I - r s y^T) H (I - r y s^T) + r s s^T} for each change, oldest first. */
    @Test
    void lbfgsMultipliesByTheInverseOfItsUpdates() {
        List<double[]> s = new ArrayList<>(), y = new ArrayList<>();
        double[][] last = new double[2][];
        Formula f = (w, _, _, g, _) -> {
            if (last[0] != null) {
                double[] dw = new double[6], dg = new double[6];
                each(w, i -> {
                    dw[i] = w[i] - last[0][i];
                    dg[i] = g[i] - last[1][i];
                });
                if (dot(dw, dg) > 1e-10) {
                    s.add(dw);
                    y.add(dg);
                }
            }
            last[0] = w.clone();
            last[1] = g.clone();
            double scale = s.isEmpty()
                    ? 1 / Math.max(1, Arrays.stream(g).map(Math::abs).sum())
                    : dot(s.getLast(), y.getLast()) / dot(y.getLast(), y.getLast());
            double[] d = inverse(s.subList(Math.max(0, s.size() - 2), s.size()), y, s.size(), scale, g);
            each(w, i -> w[i] -= RATE * d[i]);
        };
        double[] expected = expected(f, 0);
        assertTrue(!s.isEmpty(), "no change was taken");
        assertArrayEquals(expected, run(Optimizer.lbfgs(RATE, 2), null), 1e-9);
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) sum += a[i] * b[i];
        return sum;
    }

    private static double[] inverse(List<double[]> s, List<double[]> allY, int count, double scale, double[] g) {
        double[][] h = new double[6][6];
        for (int i = 0; i < 6; i++) h[i][i] = scale;
        for (int k = 0; k < s.size(); k++) {
            double[] sk = s.get(k), yk = allY.get(count - s.size() + k);
            double r = 1 / dot(sk, yk);
            double[] hy = new double[6];
            for (int i = 0; i < 6; i++) hy[i] = dot(h[i], yk);
            double yhy = dot(yk, hy);
            double[][] next = new double[6][6];
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    next[i][j] = h[i][j]
                            - r * (sk[i] * hy[j] + hy[i] * sk[j])
                            + r * r * yhy * sk[i] * sk[j]
                            + r * sk[i] * sk[j];
            h = next;
        }
        double[] d = new double[6];
        for (int i = 0; i < 6; i++) d[i] = dot(h[i], g);
        return d;
    }

    @Test
    void lbfgsSolvesLeastSquaresInFewSteps() {
        Random random = new Random(8);
        double[] x = random.doubles(60 * 4, -1, 1).toArray(), y = new double[60];
        for (int i = 0; i < 60; i++) y[i] = 2 * x[4 * i] - 3 * x[4 * i + 1] + 0.5 * x[4 * i + 2] + 1;
        Model model = Model.of(
                List.of(new Input("x", DType.F64, Shape.of(4))),
                (b, in) -> Layers.dense(1).apply(b, in.getFirst()),
                DType.F64,
                5);
        Batches all = Examples.of(Tensor.of(Shape.of(60, 4), x), Tensor.of(Shape.of(60, 1), y))
                .batches(60);
        try (Trainer t =
                Trainer.of(model, Losses.squaredError(), Optimizer.lbfgs(1, 6)).start()) {
            t.fit(all, 20);
            assertEquals(0, t.evaluate(all).get("loss"), 1e-12);
            try (Checkpoint c = t.checkpoint()) {
                assertArrayEquals(
                        new double[] {2, -3, 0.5, 0}, c.values().get("kernel").doubles(), 1e-6);
            }
        }
    }

    @Test
    void clippingScalesAllOrLimitsEach() {
        Formula norm = (w, _, _, g, _) -> {
            double n = 0;
            for (double x : g) n += x * x;
            double scale = Math.min(1, 0.5 / Math.sqrt(n));
            each(w, i -> w[i] -= RATE * scale * g[i]);
        };
        assertArrayEquals(expected(norm, 0), run(Optimizer.sgd(RATE).withClipping(0.5), null), 1e-9);
        Formula limit = (w, _, _, g, _) -> each(w, i -> w[i] -= RATE * Math.clamp(g[i], -0.5, 0.5));
        assertArrayEquals(expected(limit, 0), run(Optimizer.sgd(RATE).withValueClipping(0.5), null), 1e-9);
        assertArrayEquals(
                expectedRows(limit, 0), run(Optimizer.sgd(RATE).withValueClipping(0.5), new int[] {2, 0, 2}), 1e-9);
    }

    @Test
    void averagesFollowParametersFromTheirStart() {
        double[] w = START.clone(), mean = START.clone();
        for (int t = 0; t < STEPS; t++) {
            double[] g = gradient(t, 6);
            each(w, i -> {
                w[i] -= RATE * g[i];
                mean[i] = 0.8 * mean[i] + 0.2 * w[i];
            });
        }
        assertArrayEquals(mean, run(Optimizer.sgd(RATE).withAverage(0.8), null), 1e-9);
    }

    private static double[] rates(Schedule schedule, long... steps) {
        Ops ops = Ops.in(new Graph());
        Value step = ops.placeholder("step", DType.F64, Shape.SCALAR), rate = schedule.at(step);
        double[] all = new double[steps.length];
        try (Session s = Session.open(ops.graph())) {
            for (int i = 0; i < all.length; i++)
                try (Results r = s.feed(step.edge(), Tensor.scalar((double) steps[i]))
                        .fetch(rate.edge())
                        .run()) {
                    assertEquals(DType.F64, r.get(0).dtype());
                    all[i] = r.get(0).getDouble(0);
                }
        }
        return all;
    }

    private static double[] of(double... d) {
        return d;
    }

    @Test
    void schedulesFollowTheirFormulas() {
        assertArrayEquals(of(2, 2), rates(Schedule.constant(2), 0, 100), 1e-12);
        assertArrayEquals(of(2, 1.1, 0.2, 0.2), rates(Schedule.cosine(2, 0.2, 10), 0, 5, 10, 99), 1e-12);
        assertArrayEquals(of(2, Math.sqrt(2), 1, 0.5), rates(Schedule.exponential(2, 0.5, 10), 0, 5, 10, 20), 1e-12);
        assertArrayEquals(of(2, 2, 1, 0.5), rates(Schedule.stairs(2, 0.5, 10), 0, 9, 10, 20), 1e-12);
        assertArrayEquals(of(2, 0.875, 0.5, 0.5), rates(Schedule.polynomial(2, 0.5, 10, 2), 0, 5, 10, 11), 1e-12);
        assertArrayEquals(
                of(3, 3, 2, 2, 1),
                rates(Schedule.piecewise(List.of(5L, 8L), List.of(3.0, 2.0, 1.0)), 0, 4, 5, 7, 8),
                1e-12);
        assertArrayEquals(of(2, 2, 1), rates(Schedule.inverseSquareRoot(2, 10), 0, 10, 40), 1e-12);
        assertArrayEquals(of(0.5, 1, 2, 2), rates(Schedule.warmup(4, Schedule.constant(2)), 0, 1, 3, 50), 1e-12);
    }

    @Test
    void cosinesStartAgain() {
        assertArrayEquals(of(2, 1, 2, 1, 2), rates(Schedule.cosineRestarts(2, 0, 10, 1), 0, 5, 10, 15, 20), 1e-12);
        // Periods of 10, 20 and 40 steps begin at 0, 10 and 30.
        assertArrayEquals(
                of(2, 1, 2, 1, 2, 1, 2), rates(Schedule.cosineRestarts(2, 0, 10, 2), 0, 5, 10, 20, 30, 50, 70), 1e-9);
    }
}
