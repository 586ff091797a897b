package dev.oxbow.runtime.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.HostKernel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Regions, slots, releases and frames, from graphs written by hand. */
final class SchedulerTest {
    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 4);

    private DeviceProgram program() {
        return Scheduler.schedule(made.graph, HandMade.device(0), null);
    }

    private static Instruction find(FrameProgram f, String node) {
        return Arrays.stream(f.instructions())
                .filter(i -> i.node.name().equals(node))
                .findAny()
                .orElseThrow();
    }

    private static List<List<String>> regions(FrameProgram f) {
        return f.regions().stream()
                .map(r -> Arrays.stream(r.instructions())
                        .map(Instruction::toString)
                        .toList())
                .toList();
    }

    @Test
    void aStraightGraphIsOneRegionWhoseSlotsEndWithTheirLastReader() {
        Edge a = made.negate("a", x), b = made.add("b", a, x);
        made.add("c", b, a);
        FrameProgram f = program().root();
        assertEquals(List.of(List.of("x", "a", "b", "c")), regions(f));
        assertEquals(3, f.slots(), "nobody reads c");
        assertArrayEquals(new int[] {-1}, find(f, "c").out);
        assertArrayEquals(find(f, "x").out, find(f, "b").release);
        assertEquals(2, find(f, "c").release.length);
        assertArrayEquals(new int[4], f.pending());
        assertFalse(find(f, "a").escapes[0]);
    }

    @Test
    void aValueThatTwoRegionsReadIsKeptAndEachOfItsReadersThereIsTold() {
        Edge a = made.negate("a", x), w = made.await("w", a);
        made.add("c", w, a);
        FrameProgram f = program().root();
        assertEquals(List.of(List.of("x", "a"), List.of("w"), List.of("c")), regions(f));
        Instruction source = find(f, "a"), wait = find(f, "w"), reader = find(f, "c");
        assertTrue(source.escapes[0] && wait.escapes[0]);
        assertArrayEquals(
                new int[] {wait.index, reader.index},
                IntStream.of(source.notify).sorted().toArray());
        assertEquals(2, reader.external);
        assertEquals(2, f.pending()[reader.index]);
        assertEquals(1, f.pending()[wait.index]);
        assertEquals(2, f.regionOf()[reader.index]);
        int slot = source.out[0];
        for (Instruction i : f.instructions())
            assertFalse(IntStream.of(i.release).anyMatch(s -> s == slot), "freed when the iteration ends, not by " + i);
        assertArrayEquals(wait.out, reader.release, "one region alone reads it");
    }

    @Test
    void regionNumbersAreThoseThatTheProgramWillHave() {
        Edge a = made.negate("a", x), w = made.await("w", a);
        made.add("c", w, a);
        made.negate("d", a);
        int[] numbers = Scheduler.regionNumbers(made.graph);
        FrameProgram f = program().root();
        for (Instruction i : f.instructions())
            for (Instruction o : f.instructions())
                assertEquals(
                        f.regionOf()[i.index] == f.regionOf()[o.index], numbers[i.node.id()] == numbers[o.node.id()]);
    }

    @Test
    void aLoopIsAFrameThatBeginsIterationsLastInTheirRegion() {
        Edge constant = made.node("constant", new Enter("loop", true, 10), x).edge(0);
        HandMade.Loop loop = made.loop("loop", made.input("y", 4), v -> made.add("body", v, constant));
        made.negate("after", loop.exit().edge(0));
        DeviceProgram p = program();
        assertEquals(2, p.frames().size());
        FrameProgram root = p.root(), f = p.frames().get(1);
        assertNull(root.parent());
        assertEquals(root, f.parent());
        assertEquals("loop", f.name());
        assertEquals(10, f.parallelIterations());
        assertEquals(2, f.enters());
        assertEquals(
                List.of("loop/exit"), f.exits().stream().map(Object::toString).toList());
        assertEquals(
                List.of("constant"),
                f.constantEnters().stream().map(Object::toString).toList());
        assertEquals(List.of(), f.firstEnters());
        List<Instruction> body = List.of(f.regions().getFirst().instructions());
        assertEquals(Instruction.Kind.NEXT_ITERATION, body.getLast().kind);
        Instruction enter = find(root, "loop/enter"), exit = find(f, "loop/exit");
        assertEquals(1, enter.child);
        assertEquals(0, exit.exit);
        assertEquals(Instruction.Kind.LOOP_MERGE, find(f, "loop/merge").kind);
        assertArrayEquals(find(root, "after").in, exit.out, "an exit writes to a slot of the frame around");
        assertArrayEquals(new int[] {find(root, "after").index}, exit.notify);
    }

    @Test
    void aLoopsMergeReadsItsEntryFirstHoweverItWasWritten() {
        Node enter = made.node("enter", new Enter("loop", false, 1), x);
        Node merge = made.node("merge", new Merge(), null, enter.edge(0));
        Node next = made.node("next", new NextIteration(), merge.edge(0));
        made.graph.connectBack(merge, 0, next.edge(0));
        DeviceProgram p = program();
        Instruction m = find(p.frames().get(1), "merge");
        assertEquals(find(p.root(), "enter").out[0], m.in[0]);
        assertEquals(find(p.frames().get(1), "next").out[0], m.in[1]);
    }

    @Test
    void aReaderOfAnEnterThatIsNoMergeLivesInTheFirstIterationOnly() {
        Node once = made.node("once", new Enter("loop", false, 10), x);
        made.negate("first", once.edge(0));
        made.loop("loop", made.input("y", 4), v -> made.negate("body", v));
        FrameProgram f = program().frames().get(1);
        assertEquals(
                List.of("once"), f.firstEnters().stream().map(Object::toString).toList());
        assertTrue(find(f, "first").mayBeDead);
        assertEquals(0, find(f, "first").condition);
    }

    @Test
    void branchesAreSwitchesAndMergesWhoseMembersShareAConditionAndASignal() {
        Edge taken = made.node("taken", new HandMade.Positive(), x).edge(0);
        Node s = made.node("switch", new Switch(), x, taken);
        Edge no = made.negate("no", s.edge(0)), yes = made.negate("yes", s.edge(1));
        made.negate("yesAgain", yes);
        made.node("merge", new Merge(), no, yes);
        try (var _ = made.graph.after(yes.node())) {
            made.negate("ordered", x);
        }
        FrameProgram f = program().root();
        assertEquals(Instruction.Kind.SWITCH, find(f, "switch").kind);
        assertEquals(Instruction.Kind.MERGE, find(f, "merge").kind);
        assertEquals(find(f, "yes").condition, find(f, "yesAgain").condition);
        assertNotEquals(find(f, "yes").condition, find(f, "no").condition);
        assertTrue(find(f, "yes").mayBeDead);
        int signal = find(f, "yes").controlOut;
        assertTrue(signal >= 0, "somebody asks whether it was dead");
        assertArrayEquals(new int[] {signal}, find(f, "ordered").controlIn);
        assertTrue(find(f, "ordered").mayBeDead);
        assertEquals(-1, find(f, "x").controlOut);
    }

    @Test
    void aDrawIsARegionThatSaysSo() {
        made.loop("loop", made.input("y"), v -> {
            Edge body = made.negate("body", v);
            try (var _ = made.graph.after(body.node())) {
                made.node("draw", new HandMade.Draw(3, 4));
            }
            return body;
        });
        FrameProgram f = program().frames().get(1);
        List<Region> draws = f.regions().stream().filter(Region::isDraw).toList();
        assertEquals(1, draws.size());
        assertEquals(
                List.of("draw"),
                Arrays.stream(draws.getFirst().instructions())
                        .map(Object::toString)
                        .toList());
    }

    @Test
    void kernelsAreTheDevicesOwnOrTheHosts() {
        made.negate("own", x);
        made.await("none", x);
        Device some = new HandMade.Bare();
        FrameProgram f = Scheduler.schedule(made.graph, some, null).root();
        assertEquals(HandMade.Bare.OWN, find(f, "own").kernel);
        assertInstanceOf(HostKernel.class, find(f, "none").kernel);
        made.node(
                "switch",
                new Switch(),
                x,
                made.node("p", new HandMade.Positive(), x).edge(0));
        assertNull(find(Scheduler.schedule(made.graph, some, null).root(), "switch").kernel);
    }
}
