package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Node;
import dev.oxbow.parallel.ops.Gate;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that come, and rest, while others train. */
@Timeout(300)
final class RestingWorkerTest {
    private static final SessionOptions WAITS = SessionOptions.defaults().withTimeout(Duration.ofSeconds(30));

    @Test
    void aWorkerThatHasNothingToDoIsNotWaitedForUntilItTrainsAgain() {
        Plan plan = Plan.parameterServer(2, 2).staleness(1);
        try (LocalCluster cluster = start()) {
            Model m = LostServerTest.model(), other = LostServerTest.model();
            try (ServerSession one = open(plan, cluster, m, 0);
                    ServerSession two = open(plan, cluster, other, 1)) {
                LostServerTest.start(m, one);
                LostServerTest.start(other, two);
                double begin = LostServerTest.values(m, one)[0];
                LostServerTest.step(m, one);
                LostServerTest.step(other, two);
                two.rest();
                for (int i = 0; i < 5; i++) LostServerTest.step(m, one);
                LostServerTest.step(other, two); // from where the other is
                for (int i = 0; i < 3; i++) LostServerTest.step(m, one);
                OxbowException e = assertThrows(OxbowException.class, () -> soon(m, one));
                assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e.getMessage());
                assertTrue(e.getMessage().contains("workers [1]"), e.getMessage());
                two.rest();
                LostServerTest.step(m, one);
                assertEquals(12, begin - LostServerTest.values(m, one)[0], 1e-12); // no update is lost
            }
        }
    }

    /** The copies have counted a push that the shards themselves have not yet, as they have in the moment in which it counts. */
    @Test
    void whoComesBeginsAtTheSameStepWhereverAShardIsHeld() {
        Plan plan = Plan.parameterServer(2, 2).async().shardCopies(2);
        try (LocalCluster cluster = start()) {
            Model m = LostServerTest.model(), other = LostServerTest.model();
            try (ServerSession one = open(plan, cluster, m, 0)) {
                LostServerTest.start(m, one);
                double begin = LostServerTest.values(m, one)[0];
                for (int i = 0; i < 3; i++) LostServerTest.step(m, one);
                for (int k = 0; k < 2; k++)
                    gate(cluster, k, "/copies")
                            .push(
                                    new Gate.Push(0, 3, 0, "", List.of(), (_, then) -> then.accept(List.of(), null)),
                                    new long[0],
                                    (_, error) -> assertNull(error));
                try (ServerSession two = open(plan, cluster, other, 1)) {
                    LostServerTest.start(other, two);
                    for (int i = 0; i < 2; i++) LostServerTest.step(other, two);
                    assertEquals(5, begin - LostServerTest.values(other, two)[0], 1e-12);
                }
                for (int k = 0; k < 2; k++) {
                    assertEquals(
                            new Gate.Counts(5, 5, 0, 0, 0), gate(cluster, k, "").counts());
                    assertEquals(
                            new Gate.Counts(6, 6, 0, 0, 0),
                            gate(cluster, k, "/copies").counts());
                }
            }
        }
    }

    private static Gate gate(LocalCluster c, int server, String container) {
        return c.server("ps", server)
                .engine()
                .devices()
                .getFirst()
                .containers()
                .lookup(container, Servers.TRAINING, Gate.class);
    }

    private static LocalCluster start() {
        ServerOptions options =
                ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));
        return LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("ps", 2, "worker", 2)), options, LocalCluster.Links.CALLS);
    }

    private static ServerSession open(Plan plan, LocalCluster cluster, Model m, int worker) {
        return plan.at(cluster.server("worker", worker).target())
                .alone(worker, worker)
                .reopening(m.graph, worker, WAITS);
    }

    private static void soon(Model m, ServerSession s) {
        try (Tensor x = Tensor.of(Shape.of(1, 1), 1.0)) {
            s.feed(m.inputs.getFirst().edge(), x)
                    .target(m.updates.toArray(Node[]::new))
                    .options(RunOptions.timeout(Duration.ofSeconds(1)))
                    .run()
                    .close();
        }
    }
}
