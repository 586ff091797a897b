package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.dataset.IteratorGetNext;
import dev.oxbow.ops.dataset.IteratorV2;
import dev.oxbow.ops.dataset.MakeIterator;
import dev.oxbow.ops.dataset.MapDataset;
import dev.oxbow.ops.dataset.RangeDataset;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions on two tasks of this process, by calls and by messages. */
@Timeout(300)
final class TwoTasksTest {
    private static final String ZERO = "/job:worker/task:0";
    private static final String ONE = "/job:worker/task:1";

    /** On a busy machine a new process may be silent for long; nobody is lost here. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private static LocalCluster start(LocalCluster.Links links) {
        ServerOptions options = ServerOptions.defaults().withLostAfter(PATIENCE);
        return LocalCluster.start(LocalCluster.onFreePorts(Map.of("worker", 2)), options, links);
    }

    private Session open(LocalCluster c) {
        return Session.open(c.target(), graph, SessionOptions.defaults().withLostAfter(PATIENCE));
    }

    @ParameterizedTest
    @EnumSource
    void aValueOfOneTaskIsReadByTheOther(LocalCluster.Links links) {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), a, b;
        try (var _ = graph.device(ONE)) {
            a = x.times(3);
        }
        try (var _ = graph.device(ZERO)) {
            b = a.plus(1);
        }
        try (LocalCluster cluster = start(links)) {
            try (Session s = open(cluster)) {
                for (int i = 0; i < 3; i++)
                    try (Results r = s.feed(x.edge(), Tensor.of(Shape.of(2), (float) i, 5f))
                            .fetch(b.edge(), a.edge())
                            .run()) {
                        assertArrayEquals(new float[] {3 * i + 1, 16}, r.get(0).floats());
                        assertArrayEquals(new float[] {3 * i, 15}, r.get(1).floats());
                    }
            }
            for (Server each : cluster.servers())
                assertEquals(0, each.localWorker().steps().value());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CALLS", "MESSAGES"})
    void aLargeValueIsFedAndCrossesAndComesBack(LocalCluster.Links links) {
        int n = 1_000_003;
        float[] numbers = new float[n];
        for (int i = 0; i < n; i++) numbers[i] = i % 4_099;
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1)), a, b;
        try (var _ = graph.device(ONE)) {
            a = x.plus(1);
        }
        try (var _ = graph.device(ZERO)) {
            b = a.plus(1);
        }
        try (LocalCluster cluster = start(links);
                Session s = open(cluster);
                Results r = s.feed(x.edge(), Tensor.of(Shape.of(n), numbers))
                        .fetch(b.edge())
                        .run()) {
            for (int i = 0; i < n; i++) numbers[i] += 2;
            assertArrayEquals(numbers, r.get(0).floats());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CALLS", "MESSAGES"})
    void whatWasSentStaysAsItWasWhenItsVariableChanges(LocalCluster.Links links) {
        int n = 700_001, steps = 40;
        Parameter v;
        Value there;
        Node add;
        try (var _ = graph.device(ONE)) {
            Value zeros = ops.constant(Tensor.of(Shape.of(n), new float[n]));
            v = Parameter.of("v", zeros);
            there = v.value();
            add = graph.add(new NodeSpec(
                            "add",
                            new AssignAddVariableOp(),
                            List.of(v.handle().edge(), zeros.plus(1).edge()))
                    .withControls(List.of(there.edge().node())));
        }
        Value low, high;
        try (var _ = graph.device(ZERO)) {
            low = there.min();
            high = there.max();
        }
        try (LocalCluster cluster = start(links);
                Session s = open(cluster)) {
            s.target(v.initialiser()).run().close();
            for (int i = 0; i < steps; i++)
                try (Results r = s.target(add).fetch(low.edge(), high.edge()).run()) {
                    assertEquals(i, r.get(0).floats()[0]);
                    assertEquals(i, r.get(1).floats()[0]);
                }
        }
    }

    /** Only the part that makes the data set has the function. */
    @ParameterizedTest
    @EnumSource
    void aStepCallsTheFunctionOfADataSetThatAnotherStepHasMade(LocalCluster.Links links) {
        List<DType> longs = List.of(DType.I64);
        List<Shape> scalar = List.of(Shape.SCALAR);
        ops.function(
                "twice",
                List.of(new TensorType(DType.I64, Shape.SCALAR)),
                v -> List.of(Value.apply(new AddV2(), v.getFirst(), v.getFirst())));
        Node begin;
        Edge next;
        try (var _ = graph.device(ONE)) {
            Value zero = ops.constant(Tensor.scalar(0L)), one = ops.constant(Tensor.scalar(1L));
            Value set =
                    Value.apply(new RangeDataset(longs, scalar, "", false), zero, ops.constant(Tensor.scalar(3L)), one);
            FunctionRef twice = new FunctionRef("twice");
            set = Value.apply(new MapDataset(twice, longs, scalar, true, false, false, ""), set);
            Edge iterator =
                    graph.add(new IteratorV2("", "", longs, scalar), List.of()).edge(0);
            begin = graph.add(new MakeIterator(), List.of(set.edge(), iterator));
            next = graph.add(new IteratorGetNext(longs, scalar), List.of(iterator))
                    .edge(0);
        }
        try (LocalCluster cluster = start(links);
                Session s = open(cluster)) {
            s.target(begin).run().close();
            for (long i = 0; i < 3; i++)
                try (Results r = s.fetch(next).run()) {
                    assertEquals(2 * i, r.get(0).getLong(0));
                }
        }
    }
}
