package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.io.RestoreV2;
import dev.oxbow.ops.io.SaveV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.SupervisedSession;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session that goes on from its last checkpoint when a task was lost. */
@Timeout(300)
final class SupervisedTest {
    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1);

    @Test
    void itRestoresTheLastCheckpointAndGoesOnWhenAPsWasRestarted(@TempDir Path folder) {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("ps", 1, "worker", 1));
        Path prefix = folder.resolve("model");
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Parameter counter;
        Node add, save, restore;
        try (var _ = graph.device("/job:ps/task:0")) {
            Value name = ops.constant(Tensor.scalar(prefix.toString()));
            Value names = ops.constant(Tensor.of(Shape.of(1), "counter")),
                    slices = ops.constant(Tensor.of(Shape.of(1), ""));
            counter = Parameter.of("counter", ops.constant(0f));
            add = graph.add(
                    new AssignAddVariableOp(),
                    List.of(counter.handle().edge(), ops.constant(1f).edge()));
            save = graph.add(
                    new SaveV2(),
                    List.of(
                            name.edge(),
                            names.edge(),
                            slices.edge(),
                            counter.value().edge()));
            Node read = graph.add(new RestoreV2(List.of(DType.F32)), List.of(name.edge(), names.edge(), slices.edge()));
            restore = graph.add(
                    new AssignVariableOp(false), List.of(counter.handle().edge(), read.edge(0)));
        }
        Value doubled;
        try (var _ = graph.device("/job:worker/task:0")) {
            doubled = counter.value().times(2);
        }
        TaskName ps = new TaskName("ps", 0);
        Server first = new Server(spec, ps, OPTIONS);
        try (Server worker = new Server(spec, new TaskName("worker", 0), OPTIONS);
                SupervisedSession s = new SupervisedSession(
                        () -> Session.open(worker.target(), graph, SessionOptions.defaults()),
                        open -> open.target(
                                        Files.exists(folder.resolve("model.index")) ? restore : counter.initialiser())
                                .run()
                                .close(),
                        Duration.ofMinutes(1))) {
            Server now = first;
            float value = 0;
            int runs = 0;
            while (value < 20) {
                s.target(add).run().close();
                runs++;
                try (Results r = s.fetch(doubled.edge()).run()) {
                    value = r.get(0).floats()[0] / 2;
                }
                if (value % 5 == 0) s.target(save).run().close();
                if (runs == 12) {
                    now.close();
                    now = new Server(spec, ps, OPTIONS);
                }
            }
            assertEquals(20f, value);
            assertEquals(1, s.recoveries());
            assertTrue(runs > 20, "two steps after the checkpoint at 10 were taken again, of " + runs);
            now.close();
        }
    }
}
