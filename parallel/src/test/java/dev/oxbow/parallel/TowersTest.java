package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.ops.LateUpdate;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Devices of one process that update the variables of its host each for itself. */
@Timeout(300)
final class TowersTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    private static Plan towers(int n) {
        return Plan.replicas(n).onHost().async();
    }

    private static Session open(Plan plan, Model m) {
        return plan.open(m.graph, ONE_THREAD, SessionOptions.defaults(), null);
    }

    private static Model linear() {
        Model m = new Model(3, DType.F64);
        Value x = m.input("x", DType.F64, -1, 6);
        m.loss = x.matMul(m.parameter("w", 6, 4))
                .matMul(m.parameter("v", 4, 3))
                .square()
                .mean();
        m.updates.addAll(Minimiser.descent(0.05).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    /** What one step on these rows adds to the parameters; then the loss that it has fetched. */
    private static double[] step(Model m, Session s, Tensor rows) {
        m.start(s);
        double[] before = m.numbers(s, List.of());
        Session.Run run = s.target(m.updates.toArray(Node[]::new))
                .fetch(m.loss.edge())
                .feed(m.inputs.getFirst().edge(), rows);
        double loss;
        try (Results r = run.run()) {
            loss = r.get(0).getDouble(0);
        }
        double[] after = m.numbers(s, List.of(loss));
        for (int i = 0; i < before.length; i++) after[i] -= before[i];
        return after;
    }

    @Test
    void eachTowerUpdatesByTheMeanOfItsOwnRows() {
        Model alone = linear();
        Tensor batch = alone.numbers(alone.inputs.getFirst(), 5, 1); // two rows and three
        try (Session one = Session.open(alone.graph, ONE_THREAD)) {
            double[] whole = step(alone, one, batch);
            double[] first = step(alone, one, batch.rows(0, 2)), second = step(alone, one, batch.rows(2, 3));
            double[] wanted = new double[whole.length];
            for (int i = 0; i < wanted.length; i++) wanted[i] = first[i] + second[i];
            wanted[wanted.length - 1] = whole[whole.length - 1]; // what is fetched is that of the whole batch
            Model m = linear();
            try (Session s = open(towers(2), m)) {
                assertArrayEquals(wanted, step(m, s, batch), 1e-12);
            }
            Model more = linear();
            try (Session s = open(towers(7), more)) { // two have no row, five have one each
                double[] each = new double[wanted.length];
                for (int r = 0; r < 5; r++) {
                    double[] d = step(alone, one, batch.rows(r, 1));
                    for (int i = 0; i < each.length; i++) each[i] += d[i];
                }
                each[each.length - 1] = whole[whole.length - 1];
                assertArrayEquals(each, step(more, s, batch), 1e-12);
            }
        }
    }

    private static List<List<Tensor>> batches(Model m, int count) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, i == count - 1 ? 3 : 8, 3));
            all.add(one);
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource(Models.class)
    void oneTowerIsOneDeviceAndThreeTrainAsWell(Models kind) {
        Model alone = kind.model(5, DType.F64), one = kind.model(5, DType.F64), three = kind.model(5, DType.F64);
        List<List<Tensor>> batches = batches(alone, 20);
        double[] wanted;
        try (Session s = Session.open(alone.graph, ONE_THREAD)) {
            wanted = alone.train(s, batches);
        }
        try (Session s = open(towers(1), one)) {
            assertArrayEquals(wanted, one.train(s, batches), 1e-12);
        }
        List<List<Tensor>> same = new ArrayList<>();
        for (int i = 0; i < 20; i++) same.add(batches.getFirst());
        try (Session s = open(towers(3), three)) {
            double[] got = three.train(s, same);
            double first = got[got.length - same.size()], last = got[got.length - 1];
            assertTrue(last < first, kind + ": the loss went from " + first + " to " + last);
        }
    }

    @Test
    void aTowerWaitsForNoOther() {
        Model m = Models.MLP.model(3, DType.F64);
        Plan plan = towers(2);
        Mesh mesh = new Mesh(1, 0, 0, List.of("cpu:0", "cpu:1"));
        List<Edge> feeds = m.inputs.stream().map(Value::edge).toList();
        List<Shape> shapes = m.inputs.stream().map(v -> v.shape().withDim(0, 8)).toList();
        List<Layout> layouts = feeds.stream().map(_ -> Layout.split(0)).toList();
        LocalHomes homes = new LocalHomes(mesh.devices(), true);
        homes.learn(m.graph);
        Spread spread = new Spread(plan, mesh, layouts, new Rows(0, 8, 8), homes, null, new Late(false));
        Subgraph cut = Cut.run(m.graph, feeds, shapes, List.of(), m.updates);
        Subgraph pieces = spread.run(new Inline().run(cut, Services.NONE), Services.NONE);
        List<Node> pushes = pieces.graph().nodes().stream()
                .filter(n -> n.op() instanceof LateUpdate)
                .toList();
        assertEquals(2, pushes.size());
        for (int tower = 0; tower < 2; tower++) {
            Set<Node> behind = new HashSet<>();
            Deque<Node> work = new ArrayDeque<>(List.of(pushes.get(tower)));
            while (!work.isEmpty()) {
                Node n = work.poll();
                if (!behind.add(n)) continue;
                n.inputs().forEach(e -> work.add(e.node()));
                work.addAll(n.controls());
            }
            String other = "cpu:" + (1 - tower);
            for (Node n : behind)
                assertFalse(
                        n.device().equals(other) && n.inputCount() > 1, () -> n + " of the other tower is waited for");
        }
    }

    @Test
    void plansSayWhatTowersAreNotFor() {
        assertThrows(OxbowException.class, () -> Plan.replicas(2).async());
        assertThrows(OxbowException.class, () -> Plan.replicas(2).onHost().staleness(1));
        Model m = linear();
        try (Workers team = new Workers(2)) {
            team.run(job -> {
                OxbowException e = assertThrows(
                        OxbowException.class,
                        () -> towers(2).open(m.graph, ONE_THREAD, SessionOptions.defaults(), job));
                assertTrue(e.getMessage().contains("parameterServer"), e.getMessage());
                return null;
            });
        }
        assertEquals(WireFormat.NONE, towers(2).wire());
    }
}
