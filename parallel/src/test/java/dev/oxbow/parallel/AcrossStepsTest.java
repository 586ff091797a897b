package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Options;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.parallel.ops.LateUpdate;
import dev.oxbow.parallel.ops.LateUpdates;
import dev.oxbow.parallel.ops.UpdateWait;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exchanges of gradients that may end in the next step. */
@Timeout(300)
final class AcrossStepsTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    @ParameterizedTest
    @EnumSource(Models.class)
    void workersEndWhereOneDeviceDoes(Models kind) {
        EqualityTest.check(kind, DType.F64, 1e-10, Plan.ring().acrossSteps(), 3);
        EqualityTest.check(kind, DType.F32, 1e-4, Plan.ring().acrossSteps().withBucketBytes(200), 2);
        EqualityTest.check(
                kind, DType.F64, 1e-10, Plan.pushPull(1).acrossSteps().withBucketBytes(300), 2);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Models.class)
    void everyNumberOfWorkersEndsWhereOneDeviceDoes(Models kind) {
        for (int n = 1; n <= 4; n++) {
            Plan ring = Plan.ring().acrossSteps();
            EqualityTest.check(kind, DType.F32, 1e-4, ring, n);
            EqualityTest.check(kind, DType.F64, 1e-10, ring.withBucketBytes(100), n);
            EqualityTest.check(kind, DType.F64, 1e-10, ring.withSparse(false).withDeterministic(true), n);
            for (int helpers = 1; helpers <= 2; helpers++) {
                Plan helped = Plan.pushPull(helpers).acrossSteps();
                EqualityTest.check(kind, DType.F64, 1e-10, helped.withBucketBytes(300), n);
                EqualityTest.check(kind, DType.F32, 1e-4, helped, n);
            }
        }
    }

    private static void step(Model m, Session s, Tensor rows) {
        s.feed(m.inputs.getFirst().edge(), rows)
                .target(m.updates.toArray(Node[]::new))
                .run()
                .close();
    }

    /** Batches of four rows, and a count of steps that is updated behind the parameters. */
    private static Model adam() {
        Model m = new Model(3, DType.F64);
        Value x = m.input("x", DType.F64, 4, 6);
        m.loss = x.matMul(m.parameter("w", 6, 4))
                .matMul(m.parameter("v", 4, 3))
                .square()
                .mean();
        Minimiser.Updates adam = Minimiser.adam(0.01).minimise(m.loss, m.parameters);
        m.state.addAll(adam.slots());
        m.updates.addAll(adam.nodes());
        return m;
    }

    @Test
    void aStepEndsWhenOthersHaveNotBegunIt() {
        Model alone = adam();
        Tensor batch = alone.numbers(alone.inputs.getFirst(), 4, 1);
        double[] wanted;
        try (Session one = Session.open(alone.graph)) {
            alone.start(one);
            for (int i = 0; i < 3; i++) step(alone, one, batch);
            wanted = alone.numbers(one, List.of());
        }
        CountDownLatch second = new CountDownLatch(1);
        try (Workers team = new Workers(2)) {
            List<double[]> got = team.run(job -> {
                Model m = adam();
                try (Engine engine = new Engine(ONE_THREAD)) {
                    SessionOptions options = Plan.ring().acrossSteps().options(SessionOptions.defaults(), job);
                    LateUpdates late = options.service(LateUpdates.class);
                    try (Session s = Session.open(m.graph, engine, options)) {
                        Tensor mine = batch.rows(2 * job.rank(), 2);
                        m.start(s);
                        step(m, s, mine);
                        if (job.rank() == 1) assertTrue(second.await(60, TimeUnit.SECONDS));
                        step(m, s, mine); // rank 0 ends it before rank 1 begins
                        if (job.rank() == 0) {
                            assertFalse(late.isEmpty());
                            second.countDown();
                        }
                        step(m, s, mine);
                        return m.numbers(s, List.of());
                    }
                }
            });
            for (double[] g : got) assertArrayEquals(wanted, g, 1e-12);
        }
    }

    @Test
    void aReadWaitsForThePartOfItsOwnVariableOnly() {
        Model m = Models.MLP.model(3, DType.F64);
        Plan plan = Plan.ring().acrossSteps().withBucketBytes(100);
        Mesh mesh = new Mesh(2, 0, 0, List.of(""));
        List<Edge> feeds = m.inputs.stream().map(Value::edge).toList();
        List<Shape> shapes = m.inputs.stream().map(v -> v.shape().withDim(0, 8)).toList();
        List<Layout> layouts = feeds.stream().map(_ -> Layout.split(0)).toList();
        Spread spread = new Spread(
                plan, mesh, layouts, new Rows(0, 4, 8), new LocalHomes(mesh.devices(), false), null, new Late(true));
        Subgraph cut = Cut.run(m.graph, feeds, shapes, List.of(m.loss.edge()), m.updates);
        Subgraph pieces = spread.run(new Inline().run(cut, Services.NONE), Services.NONE);
        List<Node> nodes = pieces.graph().nodes();
        long parts = nodes.stream().filter(n -> n.op() instanceof LateUpdate).count();
        assertTrue(parts > 2, parts + " parts");
        Set<String> waited = new HashSet<>();
        for (Node n : nodes) {
            if (!(n.op() instanceof ReadVariableOp)) continue;
            List<UpdateWait> waits = n.controls().stream()
                    .map(Node::op)
                    .filter(UpdateWait.class::isInstance)
                    .map(UpdateWait.class::cast)
                    .toList();
            if (!waits.isEmpty()) assertEquals(1, waits.size(), n.toString());
            waits.forEach(w -> waited.add(w.part()));
        }
        assertEquals(parts, waited.size());
        assertEquals(
                parts, nodes.stream().filter(n -> n.op() instanceof UpdateWait).count());
    }

    @Test
    void anExchangeThatFailsIsToldByTheNextRunAndTrainingGoesOn() {
        try (Workers team = new Workers(2)) {
            List<double[]> all = team.run(job -> {
                Model m = ParameterServerTest.linear(DType.F64);
                Tensor batch = m.numbers(m.inputs.getFirst(), 4, 1).rows(2 * job.rank(), 2);
                SessionOptions options = Plan.ring().acrossSteps().options(SessionOptions.defaults(), job);
                try (Session s = Session.open(m.graph, ONE_THREAD, options)) {
                    m.start(s);
                    step(m, s, batch);
                    m.numbers(s, List.of());
                    job.world().barrier(Options.named("both are here")).await();
                    if (job.rank() == 1) job.world().abort("rank 1 has had enough");
                    OxbowException told = null;
                    for (int i = 0; i < 2 && told == null; i++) {
                        try {
                            step(m, s, batch);
                        } catch (OxbowException e) {
                            told = e;
                        }
                    }
                    assertTrue(told != null && told.getMessage().contains("had enough"), String.valueOf(told));
                    m.start(s); // what is behind a failed exchange is restored
                    step(m, s, batch);
                    return m.numbers(s, List.of());
                }
            });
            assertArrayEquals(all.get(0), all.get(1));
        }
    }

    @Test
    void plansSayWhatItIsNotFor() {
        assertThrows(OxbowException.class, () -> Plan.replicas(2).acrossSteps());
        assertThrows(OxbowException.class, () -> Plan.parameterServer(1, 1).acrossSteps());
        Model m = ParameterServerTest.linear(DType.F32);
        try (Workers team = new Workers(2)) {
            team.run(job -> {
                for (Plan p : List.of(
                        Plan.ring().acrossSteps().withOwners(true),
                        Plan.ring().acrossSteps().withWire(WireFormat.named("top-k:0.1"))))
                    assertThrows(
                            OxbowException.class,
                            () -> p.open(m.graph, ONE_THREAD, SessionOptions.defaults(), job),
                            p.toString());
                return null;
            });
        }
    }
}
