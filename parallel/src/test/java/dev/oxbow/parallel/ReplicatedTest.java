package dev.oxbow.parallel;

import static dev.oxbow.parallel.ParameterServerTest.becomes;
import static dev.oxbow.parallel.ParameterServerTest.check;
import static dev.oxbow.parallel.ParameterServerTest.gate;
import static dev.oxbow.parallel.ParameterServerTest.linear;
import static dev.oxbow.parallel.ParameterServerTest.near;
import static dev.oxbow.parallel.ParameterServerTest.sent;
import static dev.oxbow.parallel.ParameterServerTest.step;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Variable;
import dev.oxbow.parallel.ops.Gate;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers of parameter servers with copies of the variables in their own tasks. */
@Timeout(300)
final class ReplicatedTest {

    @ParameterizedTest
    @EnumSource(Models.class)
    void workersEndWhereOneDeviceDoes(Models kind) {
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 2).replicated());
        check(kind, DType.F32, 1e-4, Plan.parameterServer(1, 3).replicated());
        check(kind, DType.F64, 1e-10, Plan.parameterServer(2, 1).async().replicated());
        check(kind, DType.F64, 1e-10, Plan.parameterServer(1, 1).staleness(2).replicated());
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Models.class)
    void everyNumberOfWorkersAndServersEndsWhereOneDeviceDoes(Models kind) {
        for (int servers = 1; servers <= 2; servers++)
            for (int workers = 1; workers <= 4; workers++) {
                Plan plan = Plan.parameterServer(servers, workers).replicated();
                check(kind, DType.F64, 1e-10, plan);
                check(kind, DType.F32, 1e-4, plan.withSparse(false));
            }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachVariableIsPushedOnceAndComesBackOnceForEachWorkerAndStep(boolean together) {
        int servers = 2, workers = 2, steps = 3;
        Shards shards = new Shards(List.of(Servers.device(0), Servers.device(1)));
        shards.learn(linear(DType.F32).graph);
        long[] bytes = shards.bytes();
        Plan plan = Plan.parameterServer(servers, workers).replicated();
        try (Team team = new Team(together ? plan : plan.async(), LocalCluster.Links.MESSAGES)) {
            Tensor batch = linear(DType.F32).numbers(linear(DType.F32).inputs.getFirst(), 4, 1);
            List<Model> models = List.of(linear(DType.F32), linear(DType.F32));
            List<Session> sessions = team.run(w -> {
                Session s = team.open(models.get(w).graph, w);
                models.get(w).start(s);
                step(models.get(w), s, together ? batch.rows(2 * w, 2) : batch);
                return s;
            });
            long[] back = new long[servers], pushed = new long[workers];
            for (int k = 0; k < servers; k++) back[k] = sent(team.cluster, "ps", k);
            for (int w = 0; w < workers; w++) pushed[w] = sent(team.cluster, "worker", w);
            for (int i = 0; i < steps; i++)
                team.run(w -> {
                    step(models.get(w), sessions.get(w), together ? batch.rows(2 * w, 2) : batch);
                    return null;
                });
            for (int k = 0; k < servers; k++)
                near(workers * steps * bytes[k], sent(team.cluster, "ps", k) - back[k], "back from server " + k);
            for (int w = 0; w < workers; w++)
                near(
                        steps * (bytes[0] + bytes[1]),
                        sent(team.cluster, "worker", w) - pushed[w],
                        "pushed by worker " + w);
            sessions.forEach(Session::close);
        }
    }

    /** The copy that a worker has of a variable that is on the first server as a whole. */
    private static double[] copy(LocalCluster c, int worker, String name) {
        String own = "/worker_" + worker + "/0";
        Variable v = c.server("worker", worker)
                .engine()
                .devices()
                .getFirst()
                .containers()
                .lookup(own, "copy of " + name + " on " + Servers.device(0), Variable.class);
        try (Tensor t = v.read()) {
            return t.doubles();
        }
    }

    @Test
    void whenAStepHasEndedEveryWorkerHasWhatTheServersHave() {
        Plan plan = Plan.parameterServer(1, 2).replicated();
        try (Team team = new Team(plan)) {
            List<Model> models = List.of(linear(DType.F64), linear(DType.F64));
            Tensor batch = models.getFirst().numbers(models.getFirst().inputs.getFirst(), 4, 1);
            List<Session> sessions = team.run(w -> {
                Session s = team.open(models.get(w).graph, w);
                models.get(w).start(s);
                for (int i = 0; i < 3; i++) step(models.get(w), s, batch.rows(2 * w, 2));
                return s;
            });
            assertEquals(3, gate(team.cluster, 0).counts().version());
            double[] now = models.getFirst().numbers(sessions.getFirst(), List.of());
            for (int w = 0; w < 2; w++) {
                double[] first = copy(team.cluster, w, "w"), second = copy(team.cluster, w, "v");
                double[] both = Arrays.copyOf(first, now.length);
                System.arraycopy(second, 0, both, first.length, second.length);
                assertArrayEquals(now, both, "worker " + w);
            }
            sessions.forEach(Session::close);
        }
    }

    @Test
    void whatIsSetAndAStepThatFailedMakeCopiesOld() {
        Model m = linear(DType.F64), mine = linear(DType.F64);
        Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
        try (Session one = Session.open(m.graph);
                Team team = new Team(Plan.parameterServer(1, 1).replicated());
                Session s = team.open(mine.graph, 0)) {
            for (int i = 0; i < 2; i++) { // the second time the start values are assigned again
                Tensor zeros = Tensor.zeros(
                        DType.F64, mine.parameters.getFirst().value().shape());
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
    void everyPushOfWorkersThatDoNotWaitIsAnUpdate() {
        for (Plan plan : List.of(
                Plan.parameterServer(2, 3).async().replicated(),
                Plan.parameterServer(2, 3).staleness(1).replicated())) {
            try (Team team = new Team(plan)) {
                team.run(w -> {
                    Model m = linear(DType.F64);
                    Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1);
                    try (Session s = team.open(m.graph, w)) {
                        m.start(s);
                        for (int i = 0; i < 10; i++) step(m, s, batch);
                    }
                    return null;
                });
                for (int k = 0; k < 2; k++) becomes(new Gate.Counts(30, 30, 0, 0, 0), gate(team.cluster, k)::counts);
            }
        }
    }

    @Test
    void plansSayWhatCopiesAreNotFor() {
        assertThrows(OxbowException.class, () -> Plan.ring().replicated());
        Model m = linear(DType.F32);
        Plan plan = Plan.parameterServer(1, 2).replicated().at("grpc://nowhere:1");
        for (Plan p :
                List.of(plan.withBackups(1), plan.async().nPush(2), plan.async().nFetch(2), plan.staleness(0))) {
            OxbowException e = assertThrows(
                    OxbowException.class, () -> p.open(m.graph, 0, SessionOptions.defaults()), p.toString());
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        }
    }
}
