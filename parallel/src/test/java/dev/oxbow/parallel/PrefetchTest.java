package dev.oxbow.parallel;

import static dev.oxbow.parallel.ParameterServerTest.becomes;
import static dev.oxbow.parallel.ParameterServerTest.gate;
import static dev.oxbow.parallel.ParameterServerTest.linear;
import static dev.oxbow.parallel.ParameterServerTest.near;
import static dev.oxbow.parallel.ParameterServerTest.sent;
import static dev.oxbow.parallel.ParameterServerTest.step;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.ops.Gate;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.StepStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is pulled ahead of a step. */
@Timeout(300)
final class PrefetchTest {

    /** As {@link Model#train}, where every step says what the next one is fed. */
    private static double[] train(Model m, Session s, List<List<Tensor>> batches) {
        m.start(s);
        List<Edge> inputs = m.inputs.stream().map(Value::edge).toList();
        List<Double> losses = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            if (i + 1 < batches.size()) ((ServerSession) s).announce(inputs, batches.get(i + 1));
            Session.Run run = s.target(m.updates.toArray(Node[]::new)).fetch(m.loss.edge());
            for (int k = 0; k < inputs.size(); k++)
                run.feed(inputs.get(k), batches.get(i).get(k));
            try (Results r = run.run()) {
                losses.add(r.get(0).getDouble(0));
            }
        }
        return m.numbers(s, losses);
    }

    private static void check(Models kind, DType dtype, double tolerance, Plan plan) {
        Model m = kind.model(5, dtype);
        List<List<Tensor>> batches = ParameterServerTest.batches(m);
        double[] wanted = ParameterServerTest.alone(m, batches);
        try (Team team = new Team(plan)) {
            List<double[]> got = team.run(worker -> {
                Model mine = kind.model(5, dtype);
                try (Session s = team.open(mine.graph, worker)) {
                    int sharing = plan.served().isSynchronous() ? plan.served().workers() : 1;
                    return train(mine, s, Model.share(batches, worker, sharing));
                }
            });
            for (double[] g : got) {
                double distance = Model.distance(wanted, g);
                assertTrue(distance <= tolerance, kind + ", " + plan + ": " + distance);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void workersEndWhereOneDeviceDoes(Models kind) {
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 2).prefetch());
        String first = kind.model(5, DType.F32).parameters.getFirst().name();
        check(kind, DType.F32, 1e-4, Plan.parameterServer(1, 3).prefetch(first));
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 1).staleness(2).prefetch());
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Models.class)
    void everyNumberOfWorkersAndServersEndsWhereOneDeviceDoes(Models kind) {
        for (int servers = 1; servers <= 2; servers++)
            for (int workers = 1; workers <= 4; workers++) {
                Plan plan = Plan.parameterServer(servers, workers).prefetch();
                check(kind, DType.F64, 1e-10, plan);
                check(kind, DType.F32, 1e-4, plan.withSparse(false));
            }
    }

    /** Waits until so much has been sent, and no more than a few numbers beside it. */
    private static void await(long wanted, LongSupplier sent, String what) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (sent.getAsLong() < wanted && System.nanoTime() < end) LockSupport.parkNanos(1_000_000);
        near(wanted, sent.getAsLong(), what);
    }

    @Test
    void whatIsNamedComesOnceForEachStepAndBeforeItBegins() {
        int w = 300 * 40 * 4, v = 40 * 5 * 4;
        for (Plan plan : List.of(
                Plan.parameterServer(1, 1).prefetch("w"),
                Plan.parameterServer(1, 1).staleness(3).prefetch("w"))) {
            try (Team team = new Team(plan, LocalCluster.Links.MESSAGES)) {
                Model m = linear(DType.F32);
                Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
                try (Session s = team.open(m.graph, 0)) {
                    m.start(s);
                    step(m, s, batch);
                    long first = w + v, before = sent(team.cluster, "ps", 0);
                    for (int i = 1; i <= 5; i++) {
                        await(i * first + w, () -> sent(team.cluster, "ps", 0), "ahead of step " + i);
                        step(m, s, batch);
                    }
                    assertTrue(before >= first, "the first step pulls for itself");
                    becomes(6L, () -> gate(team.cluster, 0).counts().version());
                }
            }
        }
    }

    /** Rows of a table. */
    private static Model table(int rows) {
        Model m = new Model(3, DType.F32);
        Value ids = m.input("ids", DType.I32, rows);
        m.loss = Value.apply(new GatherV2(0), m.parameter("table", 5000, 8), ids, m.ops.constant(DType.I32, 0))
                .square()
                .mean();
        m.updates.addAll(Minimiser.descent(1).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void rowsOfTheNextBatchComeAheadIfTheyAreThoseThatItIsFed(int servers) {
        int rows = 6, bytes = rows * 8 * 4;
        Model alone = table(rows), m = table(rows);
        Edge ids = m.inputs.getFirst().edge();
        List<Tensor> batches = new ArrayList<>();
        for (int i = 0; i < 4; i++) batches.add(m.numbers(m.inputs.getFirst(), rows, 5000));
        try (Session one = Session.open(alone.graph);
                Team team = new Team(Plan.parameterServer(servers, 1).prefetch("table"), LocalCluster.Links.MESSAGES);
                ServerSession s = (ServerSession) team.open(m.graph, 0)) {
            alone.start(one);
            m.start(s);
            LongSupplier pulled = () -> {
                long all = 0;
                for (int k = 0; k < servers; k++) all += sent(team.cluster, "ps", k);
                return all;
            };
            for (Tensor t : batches.subList(0, 3)) step(alone, one, t);
            s.announce(List.of(ids), List.of(batches.get(1)));
            step(m, s, batches.get(0));
            await(2 * bytes, pulled, "the first rows, and those of the second step");
            s.announce(List.of(ids), List.of(batches.get(3))); // which does not come next
            step(m, s, batches.get(1));
            await(3 * bytes, pulled, "rows that nobody needs");
            try (Tensor reused = Tensor.zeros(DType.I32, Shape.of(rows))) {
                s.announce(List.of(ids), List.of(reused));
                step(m, s, batches.get(2));
                await(5 * bytes, pulled, "rows that the step took itself, and the first row");
                for (int i = 0; i < rows; i++)
                    reused.setLong(i, batches.get(3).getLong(i)); // the same memory, another batch
                assertArrayEquals(alone.numbers(one, List.of()), m.numbers(s, List.of()), 1e-6);
                step(alone, one, batches.get(3));
                step(m, s, reused);
            }
            step(alone, one, batches.get(0)); // of which nothing was said
            step(m, s, batches.get(0));
            assertArrayEquals(alone.numbers(one, List.of()), m.numbers(s, List.of()), 1e-6);
        }
    }

    @Test
    void whatIsSetMakesItOld() {
        Model m = linear(DType.F64), mine = linear(DType.F64);
        Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1), zeros = Tensor.zeros(DType.F64, Shape.of(300, 40));
        try (Session one = Session.open(m.graph);
                Team team = new Team(Plan.parameterServer(1, 1).prefetch());
                Session s = team.open(mine.graph, 0)) {
            for (int i = 0; i < 2; i++) { // the second time behind steps, the last of which has begun a pull
                for (Session each : List.of(one, s)) {
                    Model model = each == one ? m : mine;
                    if (i == 0) model.start(each);
                    else
                        each.feed(model.parameters.getFirst().initialiser().input(1), zeros)
                                .target(model.parameters.getFirst().initialiser())
                                .run()
                                .close();
                    step(model, each, batch);
                    step(model, each, batch);
                }
                assertArrayEquals(m.numbers(one, List.of()), mine.numbers(s, List.of()), 1e-12);
            }
        }
    }

    @Test
    void aRunThatIsCancelledTakesNothingAndTheNextOneIsRight() {
        Model m = linear(DType.F64), mine = linear(DType.F64);
        Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
        try (Session one = Session.open(m.graph);
                Team team = new Team(Plan.parameterServer(2, 1).prefetch());
                Session s = team.open(mine.graph, 0)) {
            m.start(one);
            mine.start(s);
            for (int i = 0; i < 2; i++) {
                step(m, one, batch);
                step(mine, s, batch);
            }
            Cancellation ended = new Cancellation();
            ended.cancel(new OxbowException(ErrorCode.CANCELLED, "not now"));
            assertThrows(
                    OxbowException.class,
                    () -> s.feed(mine.inputs.getFirst().edge(), batch)
                            .target(mine.updates.toArray(Node[]::new))
                            .options(new RunOptions(null, ended))
                            .run());
            step(m, one, batch);
            step(mine, s, batch);
            assertArrayEquals(m.numbers(one, List.of()), mine.numbers(s, List.of()), 1e-12);
        }
    }

    @Test
    void aWorkerIsNoFurtherAheadOfTheSlowestForIt() throws Exception {
        try (Team team = new Team(Plan.parameterServer(1, 2).staleness(1).prefetch())) {
            List<Model> models = List.of(linear(DType.F64), linear(DType.F64));
            Tensor batch = models.getFirst().numbers(models.getFirst().inputs.getFirst(), 4, 1);
            List<Session> sessions = team.run(w -> {
                Session s = team.open(models.get(w).graph, w);
                models.get(w).start(s);
                return s;
            });
            for (int i = 0; i < 2; i++) step(models.get(0), sessions.get(0), batch);
            Future<Object> third = team.begin(0, _ -> {
                step(models.get(0), sessions.get(0), batch);
                return null;
            });
            assertThrows(TimeoutException.class, () -> third.get(300, TimeUnit.MILLISECONDS));
            assertEquals(2, gate(team.cluster, 0).counts().taken());
            step(models.get(1), sessions.get(1), batch);
            third.get(60, TimeUnit.SECONDS);
            becomes(new Gate.Counts(4, 4, 0, 0, 0), gate(team.cluster, 0)::counts);
            sessions.forEach(Session::close);
        }
    }

    /** From and to, on the clock of the trace. */
    private record Span(long from, long to) {
        boolean meets(Span other) {
            return from < other.to && other.from < to;
        }
    }

    /** What a worker's device did in a step whose names match, in the order in which it began. */
    private static List<Span> spans(StepStats stats, String name, String label) {
        return stats.getDevStatsList().stream()
                .filter(d -> d.getDevice().contains("/job:worker"))
                .flatMap(d -> d.getNodeStatsList().stream())
                .filter(n ->
                        n.getNodeName().matches(name) && n.getTimelineLabel().matches(label))
                .map(n -> new Span(n.getAllStartMicros(), n.getAllStartMicros() + n.getAllEndRelMicros()))
                .sorted((a, b) -> Long.compare(a.from, b.from))
                .toList();
    }

    @Test
    void fetchingComputingAndPushingOverlap() {
        Plan plan = Plan.parameterServer(2, 1).async().nPush(2).nFetch(2).prefetch();
        try (Team team = new Team(plan, LocalCluster.Links.MESSAGES)) {
            Model m = new Model(3, DType.F32);
            Value h = m.input("x", DType.F32, 48, 400);
            for (int i = 0; i < 4; i++)
                h = h.matMul(m.parameter("w" + i, 400, 400)).times(0.05);
            m.loss = h.square().mean();
            m.updates.addAll(
                    Minimiser.descent(1e-3).minimise(m.loss, m.parameters).nodes());
            Tensor batch = m.numbers(m.inputs.getFirst(), 48, 1);
            try (Session s = team.open(m.graph, 0)) {
                m.start(s);
                boolean fetches = false, pushes = false;
                for (int i = 0; i < 40 && !(fetches && pushes); i++) { // the machine may be busy with something else
                    step(m, s, batch);
                    StepTrace trace = new StepTrace(); // of a step that pushes, with a pull for the next one beside it
                    s.feed(m.inputs.getFirst().edge(), batch)
                            .target(m.updates.toArray(Node[]::new))
                            .options(RunOptions.none().withTracer(trace))
                            .run()
                            .close();
                    List<Span> products = spans(trace.stats(), "run_.*/MatMul(_[0-9])?", ".*= MatMul.*");
                    List<Span> fetched = spans(trace.stats(), "RecvTensor", "edge_[0-9]+_run_[0-9]+/w[0-9]_0 .*");
                    List<Span> pushed = spans(trace.stats(), "SendTensor", "edge_.*_grad/MatMul_1/all_0 .*");
                    assertEquals(11, products.size(), () -> trace.stats().toString());
                    assertEquals(4, pushed.size(), () -> trace.stats().toString());
                    fetches |= fetched.stream().anyMatch(f -> products.stream().anyMatch(f::meets));
                    pushes |= pushed.getFirst().from < products.getLast().from;
                }
                assertTrue(fetches, "no parameters came while a step computed");
                assertTrue(pushes, "no gradient left before the last one was made");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void pushingEveryFourthAndFetchingEveryEighthStepMovesAFourthAndAnEighthOfTheBytes(int servers) {
        long bytes = 300 * 40 * 4 + 40 * 5 * 4;
        Plan plan = Plan.parameterServer(servers, 1).async().nPush(4).nFetch(8).prefetch();
        try (Team team = new Team(plan, LocalCluster.Links.MESSAGES)) {
            Model m = linear(DType.F32);
            Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
            LongSupplier all = () -> {
                long sum = 0;
                for (int k = 0; k < servers; k++) sum += sent(team.cluster, "ps", k);
                return sum;
            };
            try (Session s = team.open(m.graph, 0)) {
                m.start(s);
                for (int i = 0; i < 9; i++) step(m, s, batch);
                long pulled = all.getAsLong(), pushed = sent(team.cluster, "worker", 0);
                for (int i = 0; i < 16; i++) step(m, s, batch);
                near(2 * bytes, all.getAsLong() - pulled, "pulled from " + servers);
                near(4 * bytes, sent(team.cluster, "worker", 0) - pushed, "pushed");
            }
        }
    }

    @Test
    void plansSayWhatItIsNotFor() {
        assertThrows(OxbowException.class, () -> Plan.ring().prefetch());
        Model m = linear(DType.F32);
        Plan plan = Plan.parameterServer(1, 2).prefetch().at("grpc://nowhere:1");
        for (Plan p : List.of(plan.withBackups(1), plan.replicated())) {
            OxbowException e = assertThrows(
                    OxbowException.class, () -> p.open(m.graph, 0, SessionOptions.defaults()), p.toString());
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        }
        try (Team team = new Team(Plan.parameterServer(1, 1).prefetch("w", "weights"));
                Session s = team.open(m.graph, 0)) {
            m.start(s);
            Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
            OxbowException e = assertThrows(OxbowException.class, () -> step(m, s, batch));
            assertTrue(e.getMessage().contains("prefetch names variable 'weights'"), e::getMessage);
        }
    }
}
