package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.ops.Gate;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Training with variables on parameter servers. */
@Timeout(300)
final class ParameterServerTest {
    private static final int STEPS = 20;

    /** Full batches, and last one with fewer rows than workers. */
    static List<List<Tensor>> batches(Model m) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, i == STEPS - 1 ? 3 : 7, 3));
            all.add(one);
        }
        return all;
    }

    static double[] alone(Model m, List<List<Tensor>> batches) {
        try (Session one = Session.open(m.graph, EngineOptions.defaults().withThreads(1))) {
            return m.train(one, batches);
        }
    }

    static void check(Models kind, DType dtype, double tolerance, Plan plan) {
        Model m = kind.model(5, dtype);
        List<List<Tensor>> batches = batches(m);
        double[] wanted = alone(m, batches);
        try (Team team = new Team(plan)) {
            List<double[]> got = team.run(worker -> {
                Model mine = kind.model(5, dtype);
                try (Session s = team.open(mine.graph, worker)) {
                    int sharing = plan.served().isSynchronous() ? plan.served().workers() : 1;
                    return mine.train(s, Model.share(batches, worker, sharing));
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
        check(kind, DType.F64, 1e-10, Plan.parameterServer(1, 2));
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 3).sync());
        check(kind, DType.F32, 1e-4, Plan.parameterServer(2, 2));
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 2).shardCopies(2));
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void workersOfTwoDevicesEachEndWhereOneDeviceDoes(Models kind) {
        Plan two = Plan.parameterServer(2, 2).withDevices(2);
        check(kind, DType.F64, 1e-10, two);
        check(kind, DType.F64, 1e-10, two.replicated());
        check(kind, DType.F32, 1e-4, two.prefetch());
        check(kind, DType.F64, 1e-10, two.shardCopies(2));
        Plan one = Plan.parameterServer(2, 1).withDevices(2);
        for (Plan free : List.of(one.async(), one.staleness(2))) {
            check(kind, DType.F64, 1e-10, free);
            check(kind, DType.F64, 1e-10, free.replicated());
        }
    }

    @Test
    void jobsOnTheSameServersHaveVariablesOfTheirOwn() {
        Plan first = Plan.parameterServer(1, 1).withJob("first"), second = first.withJob("second");
        try (Team team = new Team(first)) {
            Model m = Models.values()[0].model(5, DType.F64), other = Models.values()[0].model(5, DType.F64);
            List<List<Tensor>> batches = batches(m);
            List<List<Tensor>> fewer = batches.subList(0, 5);
            double[] wanted = alone(other, fewer);
            String target = team.cluster.server("worker", 0).target();
            try (Session one = team.open(m.graph, 0);
                    Session two = second.at(target).open(other.graph, 0, SessionOptions.defaults())) {
                m.train(one, batches);
                double[] trained = m.numbers(one, List.of());
                assertTrue(Model.distance(wanted, other.train(two, fewer)) <= 1e-10);
                assertArrayEquals(trained, m.numbers(one, List.of()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void oneWorkerEndsWhereOneDeviceDoesThoughItWaitsForNobody(Models kind) {
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 1).async());
        check(kind, DType.F64, 1e-10, Plan.parameterServer(1, 1).staleness(2));
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Models.class)
    void everyNumberOfWorkersAndServersEndsWhereOneDeviceDoes(Models kind) {
        for (int servers = 1; servers <= 2; servers++)
            for (int workers = 1; workers <= 4; workers++) {
                check(kind, DType.F64, 1e-10, Plan.parameterServer(servers, workers));
                check(
                        kind,
                        DType.F32,
                        1e-4,
                        Plan.parameterServer(servers, workers).withSparse(false));
                if (servers == 1) continue;
                Plan twice = Plan.parameterServer(servers, workers).shardCopies(2);
                check(kind, DType.F64, 1e-10, twice.withSparse(false));
                check(kind, DType.F32, 1e-4, twice.replicated());
            }
    }

    /** Two layers, batches of four rows, nothing to fetch in a step: workers meet at the servers only. */
    static Model linear(DType t) {
        return linear(t, 1e-3);
    }

    static Model linear(DType t, double rate) {
        Model m = new Model(3, t);
        Value x = m.input("x", t, 4, 300);
        m.loss = x.matMul(m.parameter("w", 300, 40))
                .matMul(m.parameter("v", 40, 5))
                .square()
                .mean();
        m.updates.addAll(Minimiser.descent(rate).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    static void step(Model m, Session s, Tensor rows) {
        s.feed(m.inputs.getFirst().edge(), rows)
                .target(m.updates.toArray(Node[]::new))
                .run()
                .close();
    }

    static Gate gate(LocalCluster c, int server) {
        return c.server("ps", server)
                .engine()
                .devices()
                .getFirst()
                .containers()
                .lookup("", Servers.TRAINING, Gate.class);
    }

    /** Waits until this is so: a step may end when its push is there, before the update of it. */
    static <T> void becomes(T wanted, Supplier<T> now) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!now.get().equals(wanted) && System.nanoTime() - end < 0) LockSupport.parkNanos(1_000_000);
        assertEquals(wanted, now.get());
    }

    @Test
    void aWorkerThatIsKilledBetweenPushAndUpdateLeavesNoHalfOfOne() throws Exception {
        Model m = linear(DType.F64);
        Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
        double[] wanted;
        try (Session one = Session.open(m.graph)) {
            m.start(one);
            step(m, one, batch);
            wanted = m.numbers(one, List.of());
        }
        for (int last = 0; last < 2; last++) { // whoever dies pushes first, or last and begins the update
            try (Team team = new Team(Plan.parameterServer(2, 2), LocalCluster.Links.MESSAGES)) {
                List<Model> models = List.of(linear(DType.F64), linear(DType.F64));
                List<Session> sessions = team.run(w -> {
                    Session s = team.open(models.get(w).graph, w);
                    models.get(w).start(s);
                    return s;
                });
                if (last == 1) step(models.get(0), sessions.get(0), batch.rows(0, 2));
                step(models.get(1), sessions.get(1), batch.rows(2, 2));
                team.cluster.server("worker", 1).close();
                if (last == 0) step(models.get(0), sessions.get(0), batch.rows(0, 2));
                double[] got = models.get(0).numbers(sessions.get(0), List.of()); // waits for the update
                assertTrue(Model.distance(wanted, got) < 1e-10, "pushed " + (last == 0 ? "first" : "last"));
                for (int k = 0; k < 2; k++)
                    assertEquals(
                            new Gate.Counts(1, 2, 0, 0, 0),
                            gate(team.cluster, k).counts());
                sessions.get(0).close();
            }
        }
    }

    @Test
    void aWorkerThatComesAgainGoesOnWhereTheServersAre() {
        try (Team team = new Team(Plan.parameterServer(1, 1))) {
            Model first = linear(DType.F64), again = linear(DType.F64), m = linear(DType.F64);
            Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
            try (Session one = Session.open(m.graph)) {
                m.start(one);
                for (int i = 0; i < 3; i++) step(m, one, batch);
                double[] wanted = m.numbers(one, List.of());
                try (Session s = team.open(first.graph, 0)) {
                    first.start(s);
                    step(first, s, batch);
                    step(first, s, batch);
                }
                try (Session s = team.open(again.graph, 0)) {
                    again.start(s); // changes nothing: it was done
                    step(again, s, batch);
                    assertArrayEquals(wanted, again.numbers(s, List.of()), 1e-12);
                }
            }
        }
    }

    @Test
    void eachShardIsPulledAndPushedOnceByEachWorkerInAStep() {
        int servers = 2, workers = 2, steps = 3;
        Shards shards = new Shards(List.of(Servers.device(0), Servers.device(1)));
        shards.learn(linear(DType.F32).graph);
        long[] bytes = shards.bytes();
        assertEquals(300 * 40 * 4 + 40 * 5 * 4, bytes[0] + bytes[1]);
        assertEquals(bytes[0], bytes[1], 160, "rows of the larger variable are on both");
        try (Team team = new Team(Plan.parameterServer(servers, workers), LocalCluster.Links.MESSAGES)) {
            Tensor batch = linear(DType.F32).numbers(linear(DType.F32).inputs.getFirst(), 4, 1);
            List<Model> models = List.of(linear(DType.F32), linear(DType.F32));
            List<Session> sessions = team.run(w -> {
                Session s = team.open(models.get(w).graph, w);
                models.get(w).start(s);
                step(models.get(w), s, batch.rows(2 * w, 2));
                return s;
            });
            long[] pulled = new long[servers], pushed = new long[workers];
            for (int k = 0; k < servers; k++) pulled[k] = sent(team.cluster, "ps", k);
            for (int w = 0; w < workers; w++) pushed[w] = sent(team.cluster, "worker", w);
            for (int i = 0; i < steps; i++)
                team.run(w -> {
                    step(models.get(w), sessions.get(w), batch.rows(2 * w, 2));
                    return null;
                });
            for (int k = 0; k < servers; k++)
                near(workers * steps * bytes[k], sent(team.cluster, "ps", k) - pulled[k], "pulled from server " + k);
            for (int w = 0; w < workers; w++)
                near(
                        steps * (bytes[0] + bytes[1]),
                        sent(team.cluster, "worker", w) - pushed[w],
                        "pushed by worker " + w);
            sessions.forEach(Session::close);
        }
    }

    static long sent(LocalCluster c, String job, int task) {
        Traffic.Count wants = c.server(job, task).traffic().counts().get("Want");
        return wants == null ? 0 : wants.answeredBytes();
    }

    /** Numbers of steps and workers go along. */
    static void near(long wanted, long got, String what) {
        assertTrue(got >= wanted && got < wanted + 400, what + ": " + got + " bytes, wanted " + wanted);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ofATableOnlyTheRowsTravelThatABatchHas(int servers) {
        int rows = 6, table = 5000, width = 8;
        try (Team team = new Team(Plan.parameterServer(servers, 1), LocalCluster.Links.MESSAGES)) {
            Model m = new Model(3, DType.F32);
            Value ids = m.input("ids", DType.I32, rows);
            Value zero = m.ops.constant(DType.I32, 0);
            m.loss = Value.apply(new GatherV2(0), m.parameter("table", table, width), ids, zero)
                    .square()
                    .mean();
            m.updates.addAll(Minimiser.descent(1).minimise(m.loss, m.parameters).nodes());
            Tensor batch = m.numbers(ids, rows, table);
            try (Session s = team.open(m.graph, 0)) {
                m.start(s);
                step(m, s, batch);
                long pulled = 0, pushed = sent(team.cluster, "worker", 0);
                for (int k = 0; k < servers; k++) pulled -= sent(team.cluster, "ps", k);
                step(m, s, batch);
                for (int k = 0; k < servers; k++) pulled += sent(team.cluster, "ps", k);
                near(rows * width * 4, pulled, "pulled from " + servers);
                long all = sent(team.cluster, "worker", 0) - pushed;
                assertTrue(all < 6 * rows * width * 4, "pushed " + all + " bytes of a table of " + table * width * 4);
                Tensor outside = Tensor.of(Shape.of(rows), new int[] {0, 1, 2, 3, 4, table});
                assertThrows(OxbowException.class, () -> step(m, s, outside));
            }
        }
    }

    /** The error of a worker whose next steps others have not come to. */
    private static OxbowException waited(Model m, Session s, List<Tensor> batch) {
        OxbowException last = null;
        for (int i = 0; i < 10; i++) { // the first ones may be over before it has pushed itself
            Session.Run run =
                    s.target(m.updates.toArray(Node[]::new)).options(RunOptions.timeout(Duration.ofSeconds(2)));
            for (int k = 0; k < batch.size(); k++) run.feed(m.inputs.get(k).edge(), batch.get(k));
            try {
                run.run().close();
            } catch (OxbowException e) {
                last = e;
                if (e.getMessage().contains("others wait")) return e;
            }
        }
        return last;
    }

    @Test
    void aWaitThatIsTooLongNamesTheWorkersWhoHaveNotCome() {
        for (Plan plan : List.of(
                Plan.parameterServer(2, 3),
                Plan.parameterServer(1, 3).staleness(1),
                Plan.parameterServer(1, 3).replicated()))
            for (Model m : List.of(linear(DType.F64), Models.MLP.model(5, DType.F64))) // asked for its rows, or not
            try (Team team = new Team(plan);
                        Session s = team.open(m.graph, 0)) {
                    m.start(s);
                    List<Tensor> all = new ArrayList<>();
                    for (Value v : m.inputs) all.add(m.numbers(v, 4, 3));
                    int sharing = plan.served().isSynchronous() ? 3 : 1;
                    OxbowException e =
                            waited(m, s, Model.share(List.of(all), 0, sharing).getFirst());
                    assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
                    String wanted = "others wait for workers [1, 2] at the servers";
                    assertTrue(e.getMessage().contains(wanted), plan + ": " + e.getMessage());
                }
    }

    @Test
    void updatesDoNotWaitForBackups() throws Exception {
        Plan plan = Plan.parameterServer(1, 3).withBackups(1);
        try (Team team = new Team(plan)) {
            List<Model> models = List.of(linear(DType.F64), linear(DType.F64), linear(DType.F64));
            Tensor batch = models.getFirst().numbers(models.getFirst().inputs.getFirst(), 4, 1);
            List<Session> sessions = team.run(w -> {
                Session s = team.open(models.get(w).graph, w);
                models.get(w).start(s);
                return s;
            });
            for (int i = 0; i < 3; i++) {
                List<Future<Object>> two = new ArrayList<>();
                for (int w = 0; w < 2; w++)
                    two.add(team.begin(w, v -> {
                        step(
                                models.get(v),
                                sessions.get(v),
                                batch.rows(
                                        Rows.share(4, v, 3).before(),
                                        Rows.share(4, v, 3).count()));
                        return null;
                    }));
                for (Future<Object> f : two) f.get(60, TimeUnit.SECONDS);
            }
            step(models.get(2), sessions.get(2), batch.rows(2, 2)); // for step 0, which is long done
            becomes(3L, () -> gate(team.cluster, 0).counts().version());
            assertEquals(6, gate(team.cluster, 0).counts().taken());
            assertEquals(
                    1,
                    gate(team.cluster, 0).counts().mixed()
                            + gate(team.cluster, 0).counts().late());
            sessions.forEach(Session::close);
        }
    }

    @Test
    void everyPushOfWorkersThatDoNotWaitIsAnUpdate() {
        try (Team team = new Team(Plan.parameterServer(2, 3).async())) {
            List<Double> losses = team.run(w -> {
                Model m = linear(DType.F64);
                Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
                try (Session s = team.open(m.graph, w)) {
                    m.start(s);
                    for (int i = 0; i < 10; i++) step(m, s, batch);
                    try (Results r = s.feed(m.inputs.getFirst().edge(), batch)
                            .fetch(m.loss.edge())
                            .run()) {
                        return r.get(0).getDouble(0);
                    }
                }
            });
            assertEquals(3, losses.size());
            for (int k = 0; k < 2; k++) becomes(new Gate.Counts(30, 30, 0, 0, 0), gate(team.cluster, k)::counts);
        }
    }

    @Test
    void gradientsOfSeveralStepsArePushedTogetherAndParametersKeptInBetween() {
        Model m = linear(DType.F64, 4e-3); // what four steps from the same parameters do together
        Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
        double[] wanted;
        try (Session one = Session.open(m.graph)) {
            m.start(one);
            step(m, one, batch);
            step(m, one, batch);
            wanted = m.numbers(one, List.of());
        }
        for (int servers = 1; servers <= 2; servers++) {
            try (Team team =
                    new Team(Plan.parameterServer(servers, 1).async().nPush(4).nFetch(4))) {
                Model mine = linear(DType.F64);
                try (Session s = team.open(mine.graph, 0)) {
                    mine.start(s);
                    for (int i = 0; i < 8; i++) step(mine, s, batch);
                    assertArrayEquals(wanted, mine.numbers(s, List.of()), 1e-12);
                }
                for (int k = 0; k < servers; k++) {
                    Gate gate = gate(team.cluster, k);
                    becomes(2L, () -> gate.counts().version());
                }
            }
        }
    }

    @Test
    void pushingEveryFourthAndFetchingEveryEighthStepMovesAFourthAndAnEighthOfTheBytes() {
        long bytes = 300 * 40 * 4 + 40 * 5 * 4;
        try (Team team = new Team(Plan.parameterServer(1, 1).async().nPush(4).nFetch(8), LocalCluster.Links.MESSAGES)) {
            Model m = linear(DType.F32);
            Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
            try (Session s = team.open(m.graph, 0)) {
                m.start(s);
                for (int i = 0; i < 8; i++) step(m, s, batch);
                long pulled = sent(team.cluster, "ps", 0), pushed = sent(team.cluster, "worker", 0);
                for (int i = 0; i < 16; i++) step(m, s, batch);
                near(2 * bytes, sent(team.cluster, "ps", 0) - pulled, "pulled");
                near(4 * bytes, sent(team.cluster, "worker", 0) - pushed, "pushed");
            }
        }
    }

    @Test
    void plansSayWhatTheyAreNotFor() {
        assertThrows(OxbowException.class, () -> Plan.parameterServer(1, 2).nPush(2));
        assertThrows(
                OxbowException.class, () -> Plan.parameterServer(1, 2).async().nFetch(0));
        Model m = linear(DType.F32);
        assertThrows(OxbowException.class, () -> Plan.ring().async());
        assertThrows(OxbowException.class, () -> Plan.parameterServer(1, 2).open(m.graph));
        assertThrows(OxbowException.class, () -> Plan.parameterServer(1, 2).withBackups(2));
        assertThrows(
                OxbowException.class, () -> Plan.parameterServer(1, 2).async().withBackups(1));
        Plan nowhere = Plan.parameterServer(1, 2);
        assertThrows(OxbowException.class, () -> nowhere.open(m.graph, 0, SessionOptions.defaults()));
        Plan there = nowhere.at("grpc://nowhere:1");
        assertThrows(OxbowException.class, () -> there.open(m.graph, 2, SessionOptions.defaults()));
    }
}
