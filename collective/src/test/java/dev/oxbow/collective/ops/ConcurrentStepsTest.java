package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of one program that run on several threads of each rank. */
final class ConcurrentStepsTest {
    private static final int STEPS = 500;
    private static final int RANKS = 3;
    private static final String[] THREADS = {"a", "b"};

    /** Two sums of which the second follows from the first, of {@code 2 * elements} numbers each. */
    private record Sums(Graph graph, Value x, Value first, Value second) {
        static Sums of(int elements) {
            Graph g = new Graph();
            Ops ops = Ops.in(g);
            Value x = ops.placeholder("x", DType.F64, Shape.of(elements));
            Value first = Value.apply(AllReduce.of(Reduction.SUM).withKey("first"), x.times(2));
            Value second = Value.apply(AllReduce.of(Reduction.SUM).withKey("second"), x.plus(first.times(0)));
            return new Sums(g, x, first, second);
        }

        double[] run(Session s, double value, RunOptions options) {
            double[] values = new double[(int) x.shape().size()];
            Arrays.fill(values, value);
            try (Tensor fed = Tensor.of(x.shape(), values);
                    Results r = s.feed(x.edge(), fed)
                            .fetch(first.edge(), second.edge())
                            .options(options)
                            .run()) {
                double[] a = r.get(0).doubles(), b = r.get(1).doubles();
                for (double v : a) assertEquals(a[0], v);
                for (double v : b) assertEquals(b[0], v);
                return new double[] {a[0], b[0]};
            }
        }
    }

    /** A different number for each rank, thread and step, whose sums over ranks are exact and differ as well. */
    private static double number(int rank, int thread, int step) {
        return Math.scalb(1.0 + thread * STEPS + step, 12 * rank);
    }

    /** The sums that each thread of each rank saw, by thread and step. */
    private static List<List<List<double[]>>> run(Ranks ranks, int elements, IntFunction<RunOptions> options) {
        return ranks.run(r -> {
            Sums sums = Sums.of(elements);
            List<List<double[]>> seen = new ArrayList<>();
            try (Session s = r.open(sums.graph);
                    var threads = Executors.newFixedThreadPool(THREADS.length)) {
                List<Future<List<double[]>>> runs = new ArrayList<>();
                for (int t = 0; t < THREADS.length; t++) {
                    int thread = t;
                    runs.add(threads.submit(() -> {
                        List<double[]> mine = new ArrayList<>();
                        for (int step = 0; step < STEPS; step++)
                            mine.add(sums.run(s, number(r.number(), thread, step), options.apply(thread)));
                        return mine;
                    }));
                }
                for (Future<List<double[]>> f : runs) seen.add(f.get());
            }
            return seen;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20_000})
    void stepsWithAKeyMeetStepsWithTheSameKey(int elements) {
        try (Ranks ranks = new Ranks(RANKS)) {
            var seen = run(ranks, elements, t -> RunOptions.none().withKey(THREADS[t]));
            for (int t = 0; t < THREADS.length; t++) {
                for (int step = 0; step < STEPS; step++) {
                    double sum = 0;
                    for (int r = 0; r < RANKS; r++) sum += number(r, t, step);
                    for (int r = 0; r < RANKS; r++) {
                        assertEquals(2 * sum, seen.get(r).get(t).get(step)[0]);
                        assertEquals(sum, seen.get(r).get(t).get(step)[1]);
                    }
                }
            }
        }
    }

    @Test
    void stepsWithoutAKeyMeetAsAWhole() {
        try (Ranks ranks = new Ranks(RANKS)) {
            var seen = run(ranks, 1, _ -> RunOptions.none());
            List<Double> first = sums(seen.get(0), 1);
            double expected = 0, total = 0;
            for (int r = 0; r < RANKS; r++) {
                assertEquals(first, sums(seen.get(r), 1)); // the same steps met on every rank
                for (int t = 0; t < THREADS.length; t++) {
                    for (double[] both : seen.get(r).get(t)) assertEquals(both[0], 2 * both[1]);
                    for (int step = 0; step < STEPS; step++) expected += number(r, t, step);
                }
            }
            for (double sum : first) total += sum;
            assertEquals(expected, total);
        }
    }

    private static List<Double> sums(List<List<double[]>> threads, int which) {
        return threads.stream()
                .flatMap(List::stream)
                .map(both -> both[which])
                .sorted()
                .toList();
    }

    @Test
    void programsThatShareNoCallDoNotWaitForEachOther() {
        try (Ranks ranks = new Ranks(2)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                Value a = Value.apply(AllReduce.of(Reduction.SUM).withKey("a"), ops.constant(1f));
                Value b = Value.apply(AllReduce.of(Reduction.SUM).withKey("b"), ops.constant(2f));
                List<Value> order = r.number() == 0 ? List.of(a, b) : List.of(b, a); // each waits in another one first
                try (Session s = r.open(g);
                        var threads = Executors.newFixedThreadPool(2)) {
                    List<Future<Float>> sums = new ArrayList<>();
                    for (Value v : order) {
                        sums.add(threads.submit(() -> {
                            try (Results t = s.fetch(v.edge()).run()) {
                                return t.get(0).floats()[0];
                            }
                        }));
                    }
                    for (int i = 0; i < 2; i++)
                        assertEquals(order.get(i) == a ? 2f : 4f, sums.get(i).get());
                }
                return null;
            });
        }
    }
}
