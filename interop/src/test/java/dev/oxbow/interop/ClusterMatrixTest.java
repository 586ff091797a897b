package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tensorflow.proto.ClusterDef;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.proto.DeviceStepStats;
import org.tensorflow.proto.GraphOptions;
import org.tensorflow.proto.JobDef;
import org.tensorflow.proto.NodeExecStats;
import org.tensorflow.proto.RunMetadata;
import org.tensorflow.proto.ServerDef;

/** Clients, masters and second workers of TensorFlow and of ours, in all combinations, on graphs over two tasks. */
@Timeout(300)
final class ClusterMatrixTest {
    /** Whose code it is. */
    enum Side {
        TENSORFLOW,
        OXBOW
    }

    /** Who is master, and who the second worker. */
    record Pair(Side master, Side worker) {}

    private static final Map<Pair, String> TARGETS = new HashMap<>();
    private static final List<Server> OURS = new ArrayList<>();

    /** TensorFlow's servers can not be stopped: they end with the process. */
    private static final List<org.tensorflow.Server> THEIRS = new ArrayList<>();

    private static synchronized String target(Pair pair) {
        return TARGETS.computeIfAbsent(pair, p -> {
            ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
            start(p.worker(), spec, 1);
            start(p.master(), spec, 0);
            return "grpc://" + spec.address(new TaskName("worker", 0));
        });
    }

    private static void start(Side side, ClusterSpec spec, int task) {
        if (side == Side.OXBOW) {
            OURS.add(new Server(spec, new TaskName("worker", task), ServerOptions.defaults()));
            return;
        }
        JobDef.Builder job = JobDef.newBuilder().setName("worker");
        for (TaskName t : spec.tasks()) job.putTasks(t.task(), spec.address(t).toString());
        var server = new org.tensorflow.Server(ServerDef.newBuilder()
                .setCluster(ClusterDef.newBuilder().addJob(job))
                .setJobName("worker")
                .setTaskIndex(task)
                .setProtocol("grpc")
                .build());
        server.start();
        THEIRS.add(server);
    }

    @AfterAll
    static void stop() {
        OURS.forEach(Server::close);
    }

    static Stream<Arguments> cells() {
        return Stream.of(Scenario.values())
                .flatMap(s -> clients().map(c -> Arguments.of(s, c.get()[0], c.get()[1])))
                .filter(a -> a.get()[0] != Scenario.A_LONG_WHILE_LOOP_ACROSS_TASKS || isWorthTheTime(a));
    }

    private static boolean isWorthTheTime(Arguments a) {
        return a.get()[1] == Side.OXBOW && !a.get()[2].equals(new Pair(Side.TENSORFLOW, Side.TENSORFLOW));
    }

    static Stream<Arguments> clients() {
        return Stream.of(Side.values())
                .flatMap(client -> Stream.of(Side.values())
                        .flatMap(master -> Stream.of(Side.values())
                                .map(worker -> Arguments.of(client, new Pair(master, worker)))));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void aGraphOverTwoTasksGivesWhatItShould(Scenario scenario, Side client, Pair pair) {
        Graph g = new Graph();
        Scenario.Case c = scenario.build(g, Ops.in(g), client + "_");
        if (client == Side.TENSORFLOW) {
            try (TensorFlowClient s = new TensorFlowClient(target(pair), g)) {
                for (Scenario.Run r : c.runs()) compare(r, s.run(r.feeds(), r.names(), r.targets()));
            }
        } else {
            SessionOptions options = SessionOptions.defaults().withTimeout(Duration.ofSeconds(60));
            try (Session s = Session.open(target(pair), g, options)) {
                for (Scenario.Run r : c.runs()) compare(r, s.run(r.feeds(), r.names(), r.targets()));
            }
        }
    }

    @Test
    void tensorFlowsClientReadsWhatOurTasksSayOfAStep() {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(8, 8)), p, q;
        try (var _ = g.device(Scenario.ONE)) {
            p = x.matMul(x);
        }
        try (var _ = g.device(Scenario.ZERO)) {
            q = p.plus(1);
        }
        ConfigProto config = ConfigProto.newBuilder()
                .setGraphOptions(GraphOptions.newBuilder().setBuildCostModel(1))
                .build();
        byte[] def = GraphParser.serialise(GraphExporter.write(g));
        RunMetadata seen;
        try (TensorFlowClient s = new TensorFlowClient(target(new Pair(Side.OXBOW, Side.OXBOW)), def, config);
                Tensor fed = Tensor.zeros(DType.F32, Shape.of(8, 8))) {
            seen = s.traced(Map.of("x:0", fed), List.of(q.edge().name()));
        }
        Map<String, Set<String>> ran = new HashMap<>();
        for (DeviceStepStats d : seen.getStepStats().getDevStatsList())
            for (NodeExecStats n : d.getNodeStatsList()) {
                assertTrue(n.getAllEndRelMicros() >= 0 && n.getAllStartMicros() > 0, n::toString);
                ran.computeIfAbsent(d.getDevice().replaceFirst("/device:.*", ""), _ -> new HashSet<>())
                        .add(n.getNodeName());
            }
        String zero = "/job:worker/replica:0/task:0", one = "/job:worker/replica:0/task:1";
        assertTrue(ran.get(one).contains(p.edge().node().name()), ran::toString);
        assertTrue(ran.get(zero).contains("RecvTensor"), ran::toString);
        assertEquals(2, seen.getPartitionGraphsCount());
        assertTrue(
                seen.getCostGraph().getNodeList().stream()
                        .anyMatch(n -> n.getName().equals(p.edge().node().name())
                                && n.getDevice().startsWith(one)),
                seen.getCostGraph()::toString);
    }

    @ParameterizedTest
    @MethodSource("clients")
    void aPartialRunIsFedAndFetchedInTwoCalls(Side client, Pair pair) {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR),
                y = ops.placeholder("y", DType.F32, Shape.SCALAR),
                p,
                q;
        try (var _ = g.device(Scenario.ONE)) {
            p = x.plus(1);
        }
        try (var _ = g.device(Scenario.ZERO)) {
            q = p.times(y);
        }
        String first = p.edge().name(), second = q.edge().name();
        Tensor one = Tensor.scalar(1f), three = Tensor.scalar(3f);
        if (client == Side.TENSORFLOW) {
            try (TensorFlowClient s = new TensorFlowClient(target(pair), g)) {
                var run = s.partialRun(List.of("x:0", "y:0"), List.of(first, second));
                assertEquals(2f, run.run("x:0", one, first).getDouble(0));
                assertEquals(6f, run.run("y:0", three, second).getDouble(0));
            }
        } else {
            try (Session s = Session.open(target(pair), g, SessionOptions.defaults());
                    PartialRun run = s.partialRun(List.of("x:0", "y:0"), List.of(first, second), List.of())) {
                Duration limit = Duration.ofSeconds(60);
                assertEquals(
                        2f,
                        run.run(Map.of("x:0", one), List.of(first), limit)
                                .getFirst()
                                .getDouble(0));
                assertEquals(
                        6f,
                        run.run(Map.of("y:0", three), List.of(second), limit)
                                .getFirst()
                                .getDouble(0));
            }
        }
    }

    private static void compare(Scenario.Run run, List<Tensor> got) {
        for (int i = 0; i < run.expected().size(); i++) {
            Tensor t = got.get(i);
            List<Object> values = new ArrayList<>();
            if (t.dtype() == DType.STRING) values.addAll(t.strings());
            else for (float f : t.floats()) values.add(f);
            assertEquals(run.expected().get(i), values, run.names().get(i));
        }
    }
}
