package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.random.RandomUniform;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What sessions under plans promise beside equal results. */
@Timeout(300)
final class PlanTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    private static Session open(Plan plan, Graph graph, Communicator job) {
        return plan.open(graph, ONE_THREAD, SessionOptions.defaults(), job);
    }

    private static List<List<Tensor>> batches(Model m, int count, int rows) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, rows, 3));
            all.add(one);
        }
        return all;
    }

    @Test
    void ranksThatAreAboutToRunDifferentGraphsAreTold() {
        try (Workers team = new Workers(3)) {
            List<String> said = team.run(job -> {
                Graph g = new Graph();
                Value x = Ops.in(g).placeholder("x", DType.F64, Shape.of(-1));
                Value y = x.times(job.rank() == 1 ? 2 : 3).sum();
                try (Session s = open(Plan.ring(), g, job);
                        Tensor t = Tensor.of(Shape.of(2), 1.0, 2.0)) {
                    OxbowException e = assertThrows(
                            OxbowException.class,
                            () -> s.feed(x.edge(), t).fetch(y.edge()).run());
                    assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
                    return e.getMessage();
                }
            });
            assertTrue(said.get(0).contains("rank 0 is about to run another graph than ranks [1]"), said.get(0));
            assertTrue(said.get(1).contains("rank 1 is about to run another graph than ranks [0, 2]"), said.get(1));
        }
    }

    @Test
    void whatIsFetchedIsThatOfTheWholeBatchOrTheOwnRows() {
        try (Workers team = new Workers(2)) {
            team.run(job -> {
                Graph g = new Graph();
                Value x = Ops.in(g).placeholder("x", DType.F64, Shape.of(-1));
                Value sum = x.sum(), doubled = x.times(2), most = x.max();
                double[] mine = job.rank() == 0 ? new double[] {1, 2} : new double[] {5};
                try (Session s = open(Plan.ring(), g, job);
                        Tensor t = Tensor.of(Shape.of(mine.length), mine);
                        Results r = s.feed(x.edge(), t)
                                .fetch(sum.edge(), doubled.edge(), most.edge())
                                .run()) {
                    assertEquals(8, r.get(0).getDouble(0));
                    assertArrayEquals(
                            job.rank() == 0 ? new double[] {2, 4} : new double[] {10},
                            r.get(1).doubles());
                    assertEquals(5, r.get(2).getDouble(0));
                }
                try (Session s = open(Plan.ring().gatheringFetches(), g, job);
                        Tensor t = Tensor.of(Shape.of(mine.length), mine);
                        Results r = s.feed(x.edge(), t).fetch(doubled.edge()).run()) {
                    assertArrayEquals(new double[] {2, 4, 10}, r.get(0).doubles());
                }
                return null;
            });
        }
    }

    @Test
    void anOpThatCanNotBeSplitIsNamedWithWhatToDo() {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F64, Shape.of(-1));
        Value first = Value.applyAll(Ops.named("TopKV2", Map.of()), x, Ops.in(g).constant(DType.I32, 1))
                .get(0);
        try (Session s = Plan.replicas(2).open(g, ONE_THREAD, SessionOptions.defaults(), null);
                Tensor t = Tensor.of(Shape.of(3), 4.0, 9.0, 2.0)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), t).fetch(first.edge()).run());
            assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
            assertTrue(
                    e.getMessage().startsWith("TopKV2: can not be computed from pieces of its inputs"), e.getMessage());
            assertTrue(e.getMessage().contains("Plan.gathering()"), e.getMessage());
        }
        try (Session s = Plan.replicas(2).gathering().open(g, ONE_THREAD, SessionOptions.defaults(), null);
                Tensor t = Tensor.of(Shape.of(3), 4.0, 9.0, 2.0);
                Results r = s.feed(x.edge(), t).fetch(first.edge()).run()) {
            assertEquals(9, r.get(0).getDouble(0));
        }
    }

    @Test
    void aWorkerThatFeedsAnotherShareThanItsOwnIsToldItsRows() {
        try (Workers team = new Workers(2)) {
            List<String> said = team.run(job -> {
                Graph g = new Graph();
                Value x = Ops.in(g).placeholder("x", DType.F64, Shape.of(4));
                Value sum = x.sum();
                try (Session s = open(Plan.ring(), g, job);
                        Tensor t = Tensor.zeros(DType.F64, Shape.of(3))) {
                    return assertThrows(
                                    OxbowException.class,
                                    () -> s.feed(x.edge(), t).fetch(sum.edge()).run())
                            .getMessage();
                }
            });
            assertTrue(said.get(1).contains("rank 1 of 2 has rows 2 to 4 of a batch of 4"), said.get(1));
        }
    }

    @Test
    void aStepThatFailsOnOneRankChangesNothingAnywhereAndTheNextOnesGoOn() {
        Model alone = Models.EMBEDDING.model(3, DType.F64);
        List<List<Tensor>> batches = batches(alone, 4, 6);
        double[] wanted;
        try (Session s = Session.open(alone.graph, ONE_THREAD)) {
            wanted = alone.train(s, List.of(batches.get(0), batches.get(2), batches.get(3)));
        }
        try (Workers team = new Workers(2)) {
            List<double[]> got = team.run(job -> {
                Model m = Models.EMBEDDING.model(3, DType.F64);
                List<List<Tensor>> mine = Model.share(batches, job.rank(), 2);
                try (Session s = open(Plan.ring(), m.graph, job)) {
                    m.start(s);
                    List<Double> losses = new ArrayList<>();
                    losses.add(step(s, m, mine.get(0), RunOptions.none()));
                    if (job.rank() == 1) mine.get(1).get(0).setLong(0, 1_000_000); // there is no such row
                    assertThrows(OxbowException.class, () -> step(s, m, mine.get(1), RunOptions.none()));
                    losses.add(step(s, m, mine.get(2), RunOptions.none()));
                    losses.add(step(s, m, mine.get(3), RunOptions.none()));
                    return m.numbers(s, losses);
                }
            });
            for (double[] g : got) assertTrue(Model.distance(wanted, g) <= 1e-10, "" + Model.distance(wanted, g));
        }
    }

    private static double step(Session s, Model m, List<Tensor> batch, RunOptions options) {
        Session.Run run =
                s.target(m.updates.toArray(Node[]::new)).fetch(m.loss.edge()).options(options);
        for (int i = 0; i < m.inputs.size(); i++) run.feed(m.inputs.get(i).edge(), batch.get(i));
        try (Results r = run.run()) {
            return r.get(0).getDouble(0);
        }
    }

    @Test
    void stepsOfSeveralThreadsMeetByTheirKeys() {
        int steps = 60;
        try (Workers team = new Workers(3)) {
            team.run(job -> {
                Graph g = new Graph();
                Value x = Ops.in(g).placeholder("x", DType.F64, Shape.of(-1));
                Value sum = x.times(2).sum();
                try (Session s = open(Plan.ring(), g, job);
                        var threads = Executors.newFixedThreadPool(2)) {
                    List<Future<?>> runs = new ArrayList<>();
                    for (String key : List.of("a", "b"))
                        runs.add(threads.submit(() -> {
                            for (int i = 0; i < steps; i++) {
                                double v = (key.equals("a") ? 1 : 1000) * (i + 1) * (1 << job.rank());
                                int rows = (i + job.rank()) % 3;
                                double[] values = new double[rows];
                                Arrays.fill(values, v);
                                double wanted = 0;
                                for (int r = 0; r < 3; r++)
                                    wanted += 2.0 * ((i + r) % 3) * (key.equals("a") ? 1 : 1000) * (i + 1) * (1 << r);
                                try (Tensor t = Tensor.of(Shape.of(rows), values);
                                        Results r = s.feed(x.edge(), t)
                                                .fetch(sum.edge())
                                                .options(RunOptions.none().withKey(key))
                                                .run()) {
                                    assertEquals(wanted, r.get(0).getDouble(0), "step " + i + " of " + key);
                                }
                            }
                        }));
                    for (Future<?> f : runs) f.get();
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void deterministicRunsRepeatBitForBit(Models kind) {
        double[] first = null;
        for (int i = 0; i < 2; i++) {
            try (Workers team = new Workers(3)) {
                List<double[]> got = team.run(job -> {
                    Model m = kind.model(4, DType.F32);
                    List<List<Tensor>> batches = Model.share(batches(m, 5, 8), job.rank(), 3);
                    try (Session s = open(Plan.ring().withDeterministic(true), m.graph, job)) {
                        return m.train(s, batches);
                    }
                });
                for (double[] g : got) assertArrayEquals(got.getFirst(), g);
                if (first == null) first = got.getFirst();
                else assertArrayEquals(first, got.getFirst());
            }
        }
    }

    /** A perceptron whose batch has a known number of rows, so that nothing but gradients and the loss travels. */
    private static Model perceptron(int rows) {
        Model m = new Model(1, DType.F32);
        Value x = m.input("x", DType.F32, rows, 32), y = m.input("y", DType.F32, rows, 8);
        Value h =
                x.matMul(m.parameter("w0", 32, 64)).plus(m.parameter("b0", 64)).relu();
        h = h.matMul(m.parameter("w1", 64, 8)).plus(m.parameter("b1", 8));
        m.loss = h.minus(y).square().mean();
        m.updates.addAll(Minimiser.descent(0.05).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    @Test
    void aRankOfARingSendsTwiceItsShareOfTheOthersParameters() {
        for (int n = 2; n <= 4; n++) {
            int ranks = n;
            try (Workers team = new Workers(ranks)) {
                List<long[]> sent = team.run(job -> {
                    Model m = perceptron(12);
                    List<List<Tensor>> batches = Model.share(batches(m, 3, 12), job.rank(), ranks);
                    try (Session s = open(Plan.ring(), m.graph, job)) {
                        s.target(m.parameters.stream()
                                        .map(Parameter::initialiser)
                                        .toArray(Node[]::new))
                                .run();
                        step(s, m, batches.get(0), RunOptions.none());
                        long before = job.trace().bytesSent();
                        step(s, m, batches.get(1), RunOptions.none());
                        step(s, m, batches.get(2), RunOptions.none());
                        return new long[] {(job.trace().bytesSent() - before) / 2};
                    }
                });
                long bytes = 4 * (32 * 64 + 64 + 64 * 8 + 8);
                for (long[] s : sent) {
                    double wanted = 2.0 * (ranks - 1) / ranks * bytes;
                    // the loss travels along, and tensors in a bucket are aligned
                    assertTrue(
                            s[0] >= wanted && s[0] <= wanted * 1.05 + 1024,
                            ranks + " ranks: " + s[0] + ", not " + wanted);
                }
            }
        }
    }

    @Test
    void wireFormatsTrainToTheLossOfPlainGradients() {
        double[] plain = null;
        for (WireFormat format :
                List.of(WireFormat.NONE, WireFormat.BF16, WireFormat.F16, WireFormat.INT8, WireFormat.topK(0.1))) {
            try (Workers team = new Workers(2)) {
                double[] ends = team.run(job -> {
                            Model m = perceptron(12);
                            List<List<Tensor>> one = Model.share(batches(m, 1, 12), job.rank(), 2);
                            try (Session s = open(Plan.ring().withWire(format), m.graph, job)) {
                                s.target(m.parameters.stream()
                                                .map(Parameter::initialiser)
                                                .toArray(Node[]::new))
                                        .run();
                                double first = step(s, m, one.get(0), RunOptions.none()), last = first;
                                for (int i = 0; i < 150; i++) last = step(s, m, one.get(0), RunOptions.none());
                                return new double[] {first, last};
                            }
                        })
                        .getFirst();
                if (plain == null) plain = ends;
                assertEquals(plain[0], ends[0], 1e-5);
                assertTrue(ends[1] < 0.2 * ends[0], format + " ends at " + ends[1] + " of " + ends[0]);
            }
        }
    }

    @Test
    void anExplanationHasLayoutsExchangesAndBytes() {
        Model m = perceptron(12);
        List<Edge> feeds = m.inputs.stream().map(Value::edge).toList();
        List<Shape> shapes = m.inputs.stream().map(Value::shape).toList();
        String text = Plan.ring().explain(m.graph, feeds, shapes, List.of(m.loss.edge()), m.updates, 4);
        long bytes = 4 * (32 * 64 + 64 + 64 * 8 + 8) + 4;
        assertTrue(text.contains("plan ring: 4 devices, of which this process has 1; rows 0 to 3 of 12"), text);
        assertTrue(
                Pattern.compile("MatMul +MatMul +f32\\[12,64\\] S\\(0\\)")
                        .matcher(text)
                        .find(),
                text);
        assertTrue(text.contains("each rank sends %,d bytes a step".formatted(bytes * 6 / 4)), text);
    }

    @Test
    void stateHasNamesAndRoles() {
        Model m = Models.EMBEDDING.model(1, DType.F32);
        List<StateEntry> all = StateEntry.of(m.graph);
        assertTrue(all.contains(new StateEntry(
                "large", new TensorType(DType.F32, Shape.of(200, 4)), TensorSlice.full(2), StateEntry.Role.PARAMETER)));
        assertTrue(all.stream().anyMatch(e -> e.name().equals("large/adam/m") && e.role() == StateEntry.Role.SLOT));
        assertTrue(all.stream()
                .anyMatch(e -> e.name().equals("adam/beta1_power") && e.role() == StateEntry.Role.VARIABLE));
    }

    @Test
    void branchesAreTakenByAllAndWorkOnPieces() {
        for (double limit : new double[] {-100, 100}) {
            Model alone = branching(limit);
            List<List<Tensor>> batches = batches(alone, 4, 5);
            double[] wanted;
            try (Session s = Session.open(alone.graph, ONE_THREAD)) {
                wanted = alone.train(s, batches);
            }
            try (Workers team = new Workers(3)) {
                for (double[] got : team.run(job -> {
                    Model m = branching(limit);
                    try (Session s = open(Plan.ring(), m.graph, job)) {
                        return m.train(s, Model.share(batches, job.rank(), 3));
                    }
                })) assertTrue(Model.distance(wanted, got) <= 1e-10, limit + ": " + Model.distance(wanted, got));
            }
        }
    }

    /** A loss of one of two kinds, by whether the sum over the whole batch is below a limit. */
    private static Model branching(double limit) {
        Model m = new Model(8, DType.F64);
        Value x = m.input("x", DType.F64, -1, 3), w = m.parameter("w", 3, 2), h = x.matMul(w);
        Value isLow = x.sum().less(x.constantLike(limit));
        List<Value> terms = m.ops.cond(
                isLow,
                () -> List.of(h.square().sum(1), w.square()),
                () -> List.of(h.tanh().sum(1), w.times(2)));
        m.loss = terms.get(0).mean().plus(terms.get(1).sum().times(0.01));
        m.updates.addAll(Minimiser.descent(0.05).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    @Test
    void numbersThatAreDrawnWithoutASeedAreTheSameOnAllRanks() {
        try (Workers team = new Workers(3)) {
            List<double[]> drawn = team.run(job -> {
                Model m = new Model(1, DType.F64);
                Value x = m.input("x", DType.F64, -1);
                Value noise = Value.apply(new RandomUniform(0, 0, DType.F64), m.ops.constant(new int[] {4}));
                Value sum = x.sum().plus(noise.sum());
                try (Session s = open(Plan.ring(), m.graph, job);
                        Tensor t = Tensor.of(Shape.of(1), 1.0);
                        Results r = s.feed(x.edge(), t)
                                .fetch(noise.edge(), sum.edge())
                                .run()) {
                    double[] all = Arrays.copyOf(r.get(0).doubles(), 5);
                    all[4] = r.get(1).getDouble(0);
                    return all;
                }
            });
            for (double[] d : drawn) assertArrayEquals(drawn.getFirst(), d);
            double sum = 3;
            for (int i = 0; i < 4; i++) sum += drawn.getFirst()[i];
            assertEquals(sum, drawn.getFirst()[4], 1e-12);
        }
    }

    @Test
    void rowsThatAreReadThroughAHandleAreUpdatedOnAllRanks() {
        Model alone = gathering();
        List<List<Tensor>> batches = batches(alone, 5, 4);
        double[] wanted;
        try (Session s = Session.open(alone.graph, ONE_THREAD)) {
            wanted = alone.train(s, batches);
        }
        try (Workers team = new Workers(2)) {
            for (double[] got : team.run(job -> {
                Model m = gathering();
                try (Session s = open(Plan.ring(), m.graph, job)) {
                    return m.train(s, Model.share(batches, job.rank(), 2));
                }
            })) assertTrue(Model.distance(wanted, got) <= 1e-10, "" + Model.distance(wanted, got));
        }
        Model m = gathering();
        try (Session s = Plan.replicas(3).open(m.graph, ONE_THREAD, SessionOptions.defaults(), null)) {
            double distance = Model.distance(wanted, m.train(s, batches));
            assertTrue(distance <= 1e-10, "" + distance);
        }
    }

    /** Rows that are gathered from a variable, and scattered back by hand. */
    private static Model gathering() {
        Model m = new Model(2, DType.F64);
        m.parameter("table", 6, 2);
        Parameter table = m.parameters.getFirst();
        Value ids = m.input("ids", DType.I32, -1);
        Value rows = Value.apply(Ops.named("ResourceGather", Map.of("dtype", DType.F64)), table.handle(), ids);
        m.loss = rows.square().mean();
        Node update = m.graph.add(
                Ops.named("ResourceScatterAdd", Map.of("dtype", DType.F64)),
                List.of(table.handle().edge(), ids.edge(), rows.times(-0.1).edge()));
        m.updates.add(update);
        return m;
    }
}
