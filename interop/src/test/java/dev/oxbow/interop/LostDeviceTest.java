package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.QueueDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers one of whose devices is lost: its steps end with an error that says so, when what they gave is brought to the host. */
@Timeout(300)
final class LostDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(120);

    private final List<QueueDevice> devices = new ArrayList<>();
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private Value x, y;

    @BeforeEach
    void devices() {
        ExtraDevices.into(devices);
        x = ops.placeholder("x", DType.F32, Shape.of(2));
        try (var _ = graph.device("/job:worker/task:0/device:CPU:1")) {
            y = x.times(2);
        }
    }

    @AfterEach
    void noDevices() {
        ExtraDevices.none();
    }

    private static LocalCluster start() {
        return LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("worker", 1)), ServerOptions.defaults(), LocalCluster.Links.MESSAGES);
    }

    private Session open(LocalCluster c) {
        return Session.open(c.target(), graph, SessionOptions.defaults().withTimeout(LONG));
    }

    private static void isLost(OxbowException e) {
        assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
        assertTrue(e.getMessage().contains("is lost") && e.getMessage().contains("a bit fell over"), e.getMessage());
    }

    @Test
    void aStepEndsWithTheReason() {
        try (LocalCluster c = start();
                Session s = open(c)) {
            Tensor fed = Tensor.of(Shape.of(2), 1f, 2f);
            assertEquals(
                    4f, s.feed(x.edge(), fed).fetch(y.edge()).run().getFirst().floats()[1]);
            assertTrue(devices.getFirst().enqueued() > 0, "it ran there");
            devices.getFirst().lose("a bit fell over");
            isLost(assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), fed).fetch(y.edge()).run()));
        }
    }

    @Test
    void aPartialRunEndsWithTheReason() {
        try (LocalCluster c = start();
                Session s = open(c);
                PartialRun run = s.partialRun(List.of("x:0"), List.of(y.edge().name()), List.of())) {
            devices.getFirst().lose("a bit fell over");
            isLost(assertThrows(
                    OxbowException.class,
                    () -> run.run(
                            Map.of("x:0", Tensor.of(Shape.of(2), 1f, 2f)),
                            List.of(y.edge().name()),
                            LONG)));
        }
    }
}
