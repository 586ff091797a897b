package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Device wishes, colocation, and values that go from device to device and back. */
@Timeout(300)
final class PlacementTest {
    private final EngineOptions two = EngineOptions.defaults().withCpuDevices(2);
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @Test
    void aValueGoesThereAndBackAndALoopSpansBothDevices() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);
        Value there, back;
        try (var _ = graph.device("cpu:1")) {
            there = x.times(2);
        }
        try (var _ = graph.device("/device:CPU:0")) {
            back = there.plus(1);
        }
        List<Value> loop = ops.whileLoop(
                v -> {
                    try (var _ = v.get(0).graph().device("cpu:0")) {
                        return v.get(0).less(ops.constant(100));
                    }
                },
                v -> {
                    try (var _ = v.get(0).graph().device("cpu:1")) {
                        return List.of(v.get(0).plus(1), v.get(1).plus(back));
                    }
                },
                List.of(ops.constant(0), x));
        try (Session s = Session.open(graph, two)) {
            Tensor t = s.feed(x.edge(), Tensor.scalar(3f))
                    .fetch(loop.get(1).edge())
                    .run()
                    .get(0);
            assertEquals(703, t.floats()[0]);
            String text = s.explain(List.of(x.edge()), List.of(loop.get(1).edge()), List.of(), false);
            assertTrue(text.contains("program on /job:localhost/replica:0/task:0/device:CPU:1"), text);
        }
    }

    @Test
    void resultsComeFromTheDevicesThatMakeThem() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR), here = x.plus(1), there;
        try (var _ = graph.device("cpu:1")) {
            there = x.times(2);
        }
        try (Session s = Session.open(graph, two)) {
            List<Tensor> all = s.feed(x.edge(), Tensor.scalar(3f))
                    .fetch(here.edge(), there.edge())
                    .run();
            assertEquals(List.of(4f, 6f), all.stream().map(t -> t.floats()[0]).toList());
        }
    }

    @Test
    void aWishThatNoDeviceFitsNamesTheNodeAndTheDevices() {
        Value x;
        try (var _ = graph.device("gpu:0")) {
            x = ops.constant(1f).exp();
        }
        try (Session s = Session.open(graph, two)) {
            var e = assertThrows(OxbowException.class, () -> s.fetch(x.edge()).run());
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertTrue(
                    e.getMessage().startsWith("Cannot assign a device for operation ")
                            && e.getMessage().contains("it wishes 'gpu:0'")
                            && e.getMessage().contains("device:CPU:1"),
                    e.getMessage());
        }
    }

    @Test
    void aWishThatNoDeviceFitsIsForgottenWhereTheSessionSaysSo() {
        Value x, y;
        try (var _ = graph.device("gpu:0")) {
            x = ops.constant(1f).plus(2);
        }
        try (var _ = graph.device("cpu:1")) {
            y = x.times(2);
        }
        SessionOptions soft = SessionOptions.defaults().withSoftPlacement(true);
        try (Session s = Session.open(graph, two, soft)) {
            assertEquals(6, s.fetch(y.edge()).run().get(0).floats()[0]);
            String text = s.explain(List.of(), List.of(y.edge()), List.of(), false);
            assertTrue(text.contains("program on /job:localhost/replica:0/task:0/device:CPU:1"), text);
        }
    }

    @Test
    void aVariableIsWhereTheWholeGraphWishesItWhateverARunNeeds() {
        Parameter w = Parameter.of("w", ops.constant(1f));
        Node update;
        try (var _ = graph.device("cpu:1")) {
            update = graph.add(
                    new AssignAddVariableOp(),
                    List.of(w.handle().edge(), ops.constant(2f).edge()));
        }
        try (Session s = Session.open(graph, two)) {
            s.target(w.initialiser()).run(); // needs nothing that says where
            s.target(update).run();
            assertEquals(3, s.fetch(w.value().edge()).run().get(0).floats()[0]);
        }
    }
}
