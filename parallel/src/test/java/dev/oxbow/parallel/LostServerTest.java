package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parameter servers in processes of their own, one of which is killed and comes again with nothing. */
@Timeout(300)
final class LostServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Two parameters of the same size, one for each server, whose gradients are ones. */
    static Model model() {
        Model m = new Model(3, DType.F64);
        Value x = m.input("x", DType.F64, -1, 1);
        Value a = m.parameter("a", 1, 8), b = m.parameter("b", 1, 8);
        m.loss = x.matMul(a).plus(x.matMul(b)).sum();
        m.updates.addAll(Minimiser.descent(1).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    static void step(Model m, ServerSession s) {
        try (Tensor x = Tensor.of(Shape.of(1, 1), 1.0)) {
            s.feed(m.inputs.getFirst().edge(), x)
                    .target(m.updates.toArray(Node[]::new))
                    .run()
                    .close();
        }
    }

    static void start(Model m, ServerSession s) {
        s.target(m.parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run()
                .close();
    }

    static double[] values(Model m, ServerSession s) {
        return m.numbers(s, List.of());
    }

    @Test
    void aServerThatComesAgainWithNothingIsNoticedAndWhoeverIsFirstSetsItWhileTheOthersStay() {
        Plan plan = Plan.parameterServer(2, 2).async();
        ServerOptions options = ServerOptions.defaults()
                .withEngine(EngineOptions.defaults().withThreads(1))
                .withLostAfter(PATIENCE);
        SessionOptions waits = SessionOptions.defaults().withTimeout(PATIENCE).withLostAfter(PATIENCE);
        try (LocalCluster cluster = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("ps", 2, "worker", 2)), options, LocalCluster.Links.PROCESSES)) {
            Model m = model(), other = model();
            String first = "grpc://" + cluster.spec().address(new TaskName("worker", 0)),
                    second = "grpc://" + cluster.spec().address(new TaskName("worker", 1));
            try (ServerSession one = plan.at(first).alone(0, 0).reopening(m.graph, 0, waits);
                    ServerSession two = plan.at(second).alone(1, 1).reopening(other.graph, 1, waits)) {
                start(m, one);
                start(other, two);
                double[] begin = values(m, one);
                for (int i = 0; i < 3; i++) step(m, one);
                step(other, two);
                assertFalse(one.hasTrained());
                assertEquals(4, begin[0] - values(m, one)[0], 1e-12);
                cluster.process("ps", 1).kill();
                cluster.restart("ps", 1);
                OxbowException e = assertThrows(OxbowException.class, () -> step(m, one));
                assertEquals(ErrorCode.Category.PEER, e.code().category());
                assertEquals(Set.of(1), one.reopen(PATIENCE));
                assertThrows(OxbowException.class, () -> values(m, one)); // nobody reads fresh zeros
                one.on(Set.of(1), () -> start(m, one));
                assertEquals(Set.of(), one.lost());
                double[] after = values(m, one);
                int kept = after[0] == begin[0] ? 8 : 0; // the parameter that the server had which was not lost
                assertEquals(4, begin[kept] - after[kept], 1e-12);
                assertEquals(begin[8 - kept], after[8 - kept]);
                step(m, one);
                assertThrows(OxbowException.class, () -> step(other, two));
                assertEquals(Set.of(1), two.reopen(PATIENCE));
                double[] trained = values(m, one);
                two.on(two.lost(), () -> start(other, two)); // it comes second: nothing happens
                assertArrayEquals(trained, values(m, one));
                step(other, two);
                assertEquals(6, begin[kept] - values(m, one)[kept], 1e-12);
                assertEquals(2, begin[8 - kept] - values(m, one)[8 - kept], 1e-12);
                assertTrue(two.hasTrained());
            }
        }
    }

    /** Kills a server, lets it come again with nothing, and gives it back what others hold of it; the run that failed is repeated. */
    private static void lose(LocalCluster cluster, int server, Model m, ServerSession s) {
        cluster.process("ps", server).kill();
        cluster.restart("ps", server);
        assertThrows(OxbowException.class, () -> step(m, s));
        assertEquals(Set.of(server), s.reopen(PATIENCE));
        s.on(Set.of(server), () -> {
            start(m, s);
            assertTrue(s.restoreCopies());
        });
        step(m, s);
    }

    @Test
    void theLossOfOneServerAfterTheOtherLosesNoUpdateWhereEachShardIsHeldTwice() {
        Plan plan = Plan.parameterServer(2, 1).async().shardCopies(2);
        ServerOptions options = ServerOptions.defaults()
                .withEngine(EngineOptions.defaults().withThreads(1))
                .withLostAfter(PATIENCE);
        SessionOptions waits = SessionOptions.defaults().withTimeout(PATIENCE).withLostAfter(PATIENCE);
        try (LocalCluster cluster = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("ps", 2, "worker", 1)), options, LocalCluster.Links.PROCESSES)) {
            Model m = model();
            String target = "grpc://" + cluster.spec().address(new TaskName("worker", 0));
            try (ServerSession s = plan.at(target).alone(0, 0).reopening(m.graph, 0, waits)) {
                start(m, s);
                double[] begin = values(m, s);
                for (int i = 0; i < 3; i++) step(m, s);
                lose(cluster, 1, m, s);
                step(m, s);
                lose(cluster, 0, m, s);
                step(m, s);
                double[] end = values(m, s);
                for (int i = 0; i < end.length; i++) assertEquals(7, begin[i] - end[i], 1e-12);
                assertArrayEquals(new long[] {7, 7}, s.versions());
            }
        }
    }
}
