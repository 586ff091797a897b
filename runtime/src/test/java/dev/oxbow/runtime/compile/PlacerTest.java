package dev.oxbow.runtime.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which device each node gets, from graphs written by hand and devices that are names only. */
final class PlacerTest {
    private static final DeviceSpec CPU0 = spec("CPU", 0), CPU1 = spec("CPU", 1), TOY = spec("TOY", 0);

    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 4);
    private SessionOptions options = SessionOptions.defaults();

    /** The special device adds and nothing else. */
    private static final Placer.Support ADDS = (d, op) -> d != TOY || op instanceof HandMade.Add;

    private static DeviceSpec spec(String type, int index) {
        return new DeviceSpec(HandMade.TASK + "/device:" + type + ":" + index, type, 1, Long.MAX_VALUE);
    }

    private Map<String, String> placed(Placer.Support support, DeviceSpec... devices) {
        DeviceSpec[] placed = new Placer(List.of(devices), support, options)
                .place(made.whole())
                .devices();
        Map<String, String> all = new TreeMap<>();
        for (Node n : made.graph.nodes())
            all.put(n.name(), placed[n.id()].name().replace(HandMade.TASK + "/device:", ""));
        return all;
    }

    private void on(String device, Runnable builds) {
        try (var _ = made.graph.device(device)) {
            builds.run();
        }
    }

    private String refused(Placer.Support support, DeviceSpec... devices) {
        OxbowException e = assertThrows(OxbowException.class, () -> placed(support, devices));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        return e.getMessage();
    }

    @Test
    void nodesWithoutAWishGoToTheFirstDeviceAndOthersWhereTheyWish() {
        made.negate("free", x);
        on("cpu:1", () -> made.negate("short", x));
        on(CPU1.name(), () -> made.negate("full", x));
        on("/job:*/device:CPU:*", () -> made.negate("any", x));
        assertEquals(
                Map.of("x", "CPU:0", "free", "CPU:0", "short", "CPU:1", "full", "CPU:1", "any", "CPU:0"),
                placed((d, op) -> true, CPU0, CPU1));
    }

    @Test
    void aSpecialDeviceTakesWhatItHasKernelsFor() {
        made.add("add", x, x);
        made.negate("negate", x);
        assertEquals(Map.of("x", "CPU:0", "add", "TOY:0", "negate", "CPU:0"), placed(ADDS, CPU0, TOY));
    }

    @Test
    void whatSharesAHandleOrAsksForItSharesADevice() {
        Edge[] handle = new Edge[1];
        on(
                "cpu:1",
                () -> handle[0] = made.node("v", new HandMade.Variable("v", 4)).edge(0));
        made.node("read", new HandMade.Read(), handle[0]);
        made.node("write", new HandMade.Write(), handle[0], x);
        Node other = made.negate("other", x).node();
        on("cpu:1", () -> made.negate("wisher", x));
        try (var _ = made.graph.colocateWith(made.graph.node("wisher"))) {
            made.negate("beside", other.edge(0));
        }
        Map<String, String> all = placed((d, op) -> true, CPU0, CPU1);
        for (String n : List.of("v", "read", "write", "wisher", "beside")) assertEquals("CPU:1", all.get(n), n);
        for (String n : List.of("x", "other")) assertEquals("CPU:0", all.get(n), n);
    }

    @Test
    void theNodesOfALoopVariableDoNotPart() {
        on("cpu:1", () -> made.node("there", new HandMade.Negate(), x));
        HandMade.Loop[] loop = new HandMade.Loop[1];
        options = options.withPlacement((node, devices) -> node.hashCode());
        loop[0] = made.loop("loop", x, v -> made.negate("body", v));
        Map<String, String> all = placed((d, op) -> true, CPU0, CPU1);
        assertEquals(all.get("loop/enter"), all.get("loop/merge"));
        assertEquals(all.get("loop/next"), all.get("loop/merge"));
    }

    @Test
    void placementMovesWhatIsFreeAndNeverWhatHasState() {
        Edge handle = made.node("v", new HandMade.Variable("v", 4)).edge(0);
        made.node("read", new HandMade.Read(), handle);
        made.negate("free", x);
        on("cpu:0", () -> made.negate("wisher", x));
        options = options.withPlacement((node, devices) -> -1);
        assertEquals(
                Map.of("x", "CPU:0", "v", "CPU:0", "read", "CPU:0", "free", "CPU:1", "wisher", "CPU:0"),
                placed((d, op) -> true, CPU0, CPU1));
    }

    @Test
    void aWishThatCannotBeMetIsAnErrorOrIsForgotten() {
        on("gpu:0", () -> made.negate("y", x));
        assertEquals(
                "Cannot assign a device for operation y: it wishes 'gpu:0', and the devices are " + CPU0.name() + ", "
                        + CPU1.name(),
                refused((d, op) -> true, CPU0, CPU1));
        options = options.withSoftPlacement(true);
        assertEquals(Map.of("x", "CPU:0", "y", "CPU:0"), placed((d, op) -> true, CPU0, CPU1));
    }

    @Test
    void aWishForADeviceWithoutTheKernelIsAnErrorOrIsForgotten() {
        on("toy:0", () -> made.negate("y", x));
        on("toy:0", () -> made.add("z", x, x));
        assertEquals(
                "Cannot assign a device for operation y: it wishes 'toy:0', and the devices are " + TOY.name() + ", "
                        + CPU0.name() + "; of those, [" + CPU0.name() + "] have kernels for all that must share it",
                refused(ADDS, CPU0, TOY));
        options = options.withSoftPlacement(true);
        assertEquals(Map.of("x", "CPU:0", "y", "CPU:0", "z", "TOY:0"), placed(ADDS, CPU0, TOY));
    }

    @Test
    void wishesOfNodesThatMustShareADeviceClash() {
        Edge[] handle = new Edge[1];
        on(
                "cpu:0",
                () -> handle[0] = made.node("v", new HandMade.Variable("v", 4)).edge(0));
        on("cpu:1", () -> made.node("read", new HandMade.Read(), handle[0]));
        assertEquals(
                "Cannot assign a device for operation read: it wishes 'cpu:1' together with 'cpu:0' for v, "
                        + "whose device it must share, and the devices are " + CPU0.name() + ", " + CPU1.name(),
                refused((d, op) -> true, CPU0, CPU1));
    }

    @Test
    void allWishesThatLeaveNoDeviceTogetherAreListed() {
        Edge[] handle = new Edge[1];
        on(
                "/device:CPU:*",
                () -> handle[0] = made.node("v", new HandMade.Variable("v", 4)).edge(0));
        on("cpu:1", () -> made.node("read", new HandMade.Read(), handle[0]));
        on("toy:0", () -> made.node("again", new HandMade.Read(), handle[0]));
        assertEquals(
                "Cannot assign a device for operation again: it wishes 'toy:0' together with '/device:CPU:*' for v and"
                        + " 'cpu:1' for read, whose device it must share, and the devices are " + TOY.name() + ", "
                        + CPU0.name() + ", " + CPU1.name(),
                refused((d, op) -> true, CPU0, CPU1, TOY));
    }

    @Test
    void anOpThatNoDeviceHasAKernelForNamesTheDevices() {
        made.negate("y", x);
        on("toy:0", () -> made.add("z", x, x));
        String message = refused((d, op) -> op instanceof HandMade.Add, TOY);
        assertEquals(
                "Cannot assign a device for operation x: it wishes '', and the devices are " + TOY.name()
                        + "; of those, [] have kernels for all that must share it",
                message);
    }
}
