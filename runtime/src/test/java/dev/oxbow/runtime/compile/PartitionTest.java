package dev.oxbow.runtime.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Verifier;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Where edges are cut, from placed graphs written by hand. */
final class PartitionTest {
    private static final DeviceSpec A = spec(0, 11), B = spec(1, 22), C = spec(2, 33);

    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 4);

    private static DeviceSpec spec(int index, long incarnation) {
        return new DeviceSpec(HandMade.TASK + "/device:CPU:" + index, "CPU", incarnation, Long.MAX_VALUE);
    }

    /** The parts where the named nodes are on other devices than the first. */
    private Map<DeviceSpec, Subgraph> parts(Map<String, DeviceSpec> elsewhere) {
        Subgraph whole = made.whole();
        DeviceSpec[] placed = whole.graph().nodes().stream()
                .map(n -> elsewhere.getOrDefault(n.name(), A))
                .toArray(DeviceSpec[]::new);
        Map<DeviceSpec, Subgraph> parts =
                Partition.run(whole, placed).stream().collect(Collectors.toMap(Part::device, Part::graph));
        parts.values().forEach(p -> Verifier.check("partition", p));
        return parts;
    }

    private static List<Node> all(Subgraph s, Class<? extends Op> type) {
        return s.graph().nodes().stream().filter(n -> type.isInstance(n.op())).toList();
    }

    @Test
    void aGraphOnOneDeviceStaysAsItIs() {
        made.negate("y", x);
        Subgraph whole = made.whole();
        DeviceSpec[] placed = new DeviceSpec[whole.graph().size()];
        Arrays.fill(placed, B);
        List<Part> parts = Partition.run(whole, placed);
        assertEquals(1, parts.size());
        assertSame(whole, parts.getFirst().graph());
        assertSame(B, parts.getFirst().device());
        assertEquals(List.of(), Partition.run(new HandMade().whole(), new DeviceSpec[0]));
    }

    @Test
    void aValueGoesOnceToEachDeviceThatReadsIt() {
        Edge y = made.negate("y", x);
        made.add("twice", y, y);
        made.negate("again", y);
        made.negate("there", y);
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("twice", B, "again", B, "there", C));
        assertEquals(2, all(parts.get(A), Send.class).size());
        Node recv = all(parts.get(B), Recv.class).getFirst();
        assertEquals(1, all(parts.get(B), Recv.class).size());
        assertEquals(1, all(parts.get(C), Recv.class).size());
        assertSame(recv, parts.get(B).graph().node("twice").input(1).node());
        assertEquals(Shape.of(4), recv.output(0).shape(), "what is known of a value travels with it");
        Recv r = (Recv) recv.op();
        Send s = all(parts.get(A), Send.class).stream()
                .map(n -> (Send) n.op())
                .filter(o -> o.tensorName().equals(r.tensorName()))
                .findAny()
                .orElseThrow();
        assertEquals(s.key(0, 0), r.key(0, 0));
        assertEquals(A.name() + ";000000000000000b;" + B.name() + ";" + r.tensorName() + ";0:0", r.key(0, 0));
        assertTrue(parts.get(A).roots().containsAll(all(parts.get(A), Send.class)), "sends are wanted for themselves");
        assertEquals(B.name(), recv.device());
    }

    private Node after(String name, Node... waited) {
        return made.graph.add(new NodeSpec(name, new NoOp(), List.of()).withControls(List.of(waited)));
    }

    @Test
    void theEndOfAGroupWaitsForNothingThatIsElsewhere() {
        Node here = made.negate("here", x).node(),
                there = made.negate("there", x).node();
        Node inner = after("inner", there, here);
        after("end", here, inner);
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("there", B, "inner", B));
        assertEquals(1, all(parts.get(A), Send.class).size(), "of x alone");
        assertEquals(List.of(), all(parts.get(B), Send.class));
        Node group = parts.get(B).graph().node("inner");
        assertEquals(List.of(parts.get(B).graph().node("there")), group.controls());
        assertTrue(parts.get(B).roots().contains(group));
    }

    @Test
    void whatOthersWaitForDoesWait() {
        Node there = made.negate("there", x).node();
        Node gate = after("gate", there);
        made.graph.add(new NodeSpec("later", new Identity(), List.of(x)).withControls(List.of(gate)));
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("there", B));
        Node signal = all(parts.get(A), Recv.class).getFirst();
        assertEquals(List.of(signal), parts.get(A).graph().node("gate").controls());
    }

    @Test
    void aControlEdgeSendsOneConstantThatWaitsForItsSource() {
        Node first = made.negate("first", x).node();
        Edge y = made.input("y", 4);
        try (var _ = made.graph.after(first)) {
            made.negate("second", y);
            made.negate("third", y);
        }
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("y", B, "second", B, "third", B));
        Node signal = all(parts.get(A), Const.class).getFirst();
        assertEquals(List.of(parts.get(A).graph().node("first")), signal.controls());
        assertEquals(1, all(parts.get(A), Send.class).size());
        Node recv = all(parts.get(B), Recv.class).getFirst();
        assertEquals(DType.BOOL, recv.output(0).dtype());
        for (String n : List.of("second", "third"))
            assertEquals(List.of(recv), parts.get(B).graph().node(n).controls());
    }

    @Test
    void eachDeviceOfALoopCountsItsIterations() {
        made.loop("loop", x, v -> made.negate("back", made.negate("there", v)));
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("there", B));
        Subgraph b = parts.get(B);
        assertEquals(1, all(b, Enter.class).size());
        assertEquals(1, all(b, NextIteration.class).size());
        Node merge = all(b, Merge.class).getFirst();
        assertEquals(2, all(b, Recv.class).size(), "the value and the condition");
        for (Node r : all(b, Recv.class)) assertEquals(List.of(merge), r.controls(), "once in each iteration");
        Frames frames = new Frames(b.graph());
        assertEquals("loop", frames.of(b.graph().node("there")).name());
        assertEquals(10, frames.of(merge).parallelIterations());
        Node condition = all(b, Switch.class).getFirst().input(1).node();
        assertInstanceOf(Recv.class, condition.op());
        assertEquals(DType.BOOL, condition.output(0).dtype());
        assertTrue(b.roots().contains(merge), "what starts iterations is wanted for itself");
        assertEquals(1, all(parts.get(A), LoopCond.class).size());
        assertEquals(0, all(b, LoopCond.class).size());
        assertEquals(2, new Frames(parts.get(A).graph()).all().size());
    }

    @Test
    void anInnerLoopOverTwoDevicesBringsTheLoopAroundItAlong() {
        made.loop("outer", x, v -> {
            HandMade.Loop inner = made.loop("inner", v, w -> made.negate("body", w));
            return made.negate("after", inner.exit().edge(0));
        });
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("body", B));
        Frames frames = new Frames(parts.get(B).graph());
        Frames.Frame inner = frames.of(parts.get(B).graph().node("body"));
        assertEquals("inner", inner.name());
        assertEquals("outer", inner.parent().name());
        assertEquals(2, all(parts.get(B), Switch.class).size());
        assertEquals(
                4,
                all(parts.get(A), Send.class).size()
                        + all(parts.get(B), Send.class).size());
    }

    @Test
    void aFrameWithoutALoopHasOneIteration() {
        Node enter = made.node("enter", new Enter("frame", false, 1), x);
        Edge there = made.negate("there", enter.edge(0));
        made.node("exit", new Exit(), there);
        Subgraph b = parts(Map.of("there", B)).get(B);
        assertEquals(0, all(b, Merge.class).size());
        Node recv = all(b, Recv.class).getFirst();
        assertInstanceOf(Identity.class, recv.controls().getFirst().op());
        assertEquals("frame", new Frames(b.graph()).of(recv).name());
    }

    @Test
    void aLoopWhoseConditionIsDecidedElsewhereFollowsItsSwitches() {
        Node enter = made.node("enter", new Enter("loop", false, 10), x);
        Node merge = made.node("merge", new Merge(), enter.edge(0), null);
        Node go;
        try (var _ = made.graph.after(merge)) {
            go = made.node("go", new Recv(DType.BOOL, "cond", C.name(), 33, A.name(), false));
        }
        Node branch = made.node("switch", new Switch(), merge.edge(0), go.edge(0));
        Edge body = made.negate("body", branch.edge(1));
        Node next = made.node("next", new NextIteration(), body);
        made.graph.connectBack(merge, 1, next.edge(0));
        made.node("exit", new Exit(), branch.edge(0));
        Map<DeviceSpec, Subgraph> parts = parts(Map.of("body", B));
        Node mine = all(parts.get(B), Switch.class).getFirst();
        Recv handed = assertInstanceOf(Recv.class, mine.input(1).node().op());
        assertEquals(A.name(), handed.sendDevice());
        assertTrue(handed.tensorName().contains("go"), handed.tensorName());
    }
}
