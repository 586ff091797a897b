package dev.oxbow.graph.pass;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Park;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a step holds, and how it holds less: each part alone, on graphs made by hand. */
final class FitMemoryTest {
    private static final long LARGE = 1 << 20, SMALL = 64;

    private final Graph graph = new Graph();

    private Node make(String name, long size, Node... inputs) {
        return Make.in(graph, name, size, inputs);
    }

    private StepMemory memory(Node... roots) {
        Subgraph s = Cut.run(graph, List.of(), Make.edges(roots), List.of());
        return new StepMemory(s.graph(), new int[s.graph().size()]);
    }

    private static long peak(StepMemory m) {
        int[] written = new int[m.size()];
        Arrays.setAll(written, i -> i);
        return m.simulate(written, null).peak;
    }

    @Test
    void aValueIsHeldUntilItsLastReader() {
        Node a = make("a", LARGE), b = make("b", LARGE, a), c = make("c", LARGE, b);
        assertEquals(2 * Make.bytes(LARGE), peak(memory(make("end", SMALL, c))));
        assertEquals(3 * Make.bytes(LARGE), peak(memory(make("late", SMALL, a, c))));
    }

    @Test
    void aFetchedValueIsHeldUntilTheEnd() {
        Node a = make("a", LARGE), b = make("b", LARGE, a), c = make("c", LARGE, b);
        assertEquals(3 * Make.bytes(LARGE), peak(memory(a, c)));
    }

    @Test
    void aViewHoldsNothingOfItsOwn() {
        Node a = make("a", LARGE);
        Node view = graph.add(new Identity(), Make.edges(a));
        assertEquals(Make.bytes(LARGE) + Make.bytes(SMALL), peak(memory(make("end", SMALL, view))));
    }

    /** Two large values, each of which shrinks at once, written so that both are there together. */
    private StepMemory sideBySide() {
        Node a = make("a", LARGE), b = make("b", LARGE);
        Node c = make("c", SMALL, a), d = make("d", SMALL, b);
        return memory(make("end", SMALL, c, d));
    }

    @Test
    void anOrderThatHoldsLessUsesUpAValueBeforeItMakesTheNext() {
        StepMemory m = sideBySide();
        int[] order = Reorder.order(m);
        assertTrue(m.simulate(order, null).peak < Make.bytes(LARGE) + 4 * Make.bytes(SMALL));
        assertTrue(peak(m) > 2 * Make.bytes(LARGE));
        assertEquals(
                List.of("a", "c", "b", "d"),
                Arrays.stream(order)
                        .mapToObj(i -> m.nodes.get(i).name())
                        .toList()
                        .subList(0, 4));
    }

    @Test
    void effectsKeepTheirOrder() {
        Node a = graph.add(new Make(LARGE, true), "a", List.of()), b = graph.add(new Make(SMALL, true), "b", List.of());
        Node end = make("end", SMALL, a, b);
        StepMemory m = memory(end);
        assertTrue(m.nodes.get(Reorder.order(m)[0]).name().equals("a"), "a allocates more but was written first");
    }

    /** A pass forward whose values a pass backward reads in reverse. */
    private Node forwardAndBack(int depth) {
        List<Node> forward = new ArrayList<>(List.of(make("f0", LARGE)));
        for (int i = 1; i < depth; i++) forward.add(make("f" + i, LARGE, forward.getLast()));
        Node back = forward.getLast();
        for (Node f : forward.reversed()) back = make("d" + f.name(), LARGE, back, f);
        return make("end", SMALL, back);
    }

    @Test
    void valuesThatWaitThroughThePeakAreComputedAgain() {
        StepMemory m = memory(forwardAndBack(16));
        long before = peak(m);
        Recompute r = new Recompute(m);
        r.run(before * 2 / 3);
        assertTrue(r.peak() <= before * 2 / 3, () -> r.peak() + " of " + before);
        for (int i = 0; i < m.size(); i++)
            if (r.anchors()[i] >= 0) assertTrue(m.nodes.get(i).name().startsWith("f"), m.nodes.get(i)::name);
        assertEquals(r.peak(), m.simulate(m.sequence(r.anchors()), r.anchors()).peak);
    }

    @Test
    void whatChangesStateIsNeverComputedAgain() {
        Node a = graph.add(new Make(LARGE, true), "a", List.of()), b = make("b", LARGE, a), c = make("c", LARGE, b);
        StepMemory m = memory(make("end", SMALL, a, c));
        Recompute r = new Recompute(m);
        r.run(0);
        assertTrue(r.anchors()[0] < 0);
    }

    @Test
    void aGraphThatFitsStaysAndOneThatDoesNotSaysWhatItNeeds() {
        Subgraph s = Cut.run(graph, List.of(), Make.edges(forwardAndBack(16)), List.of());
        List<FitMemory.Report> found = new ArrayList<>();
        assertSame(s, fit(s, Long.MAX_VALUE, found));
        long written = found.getFirst().written();
        Subgraph fitted = fit(s, written * 2 / 3, found);
        Verifier.check("memory", fitted);
        FitMemory.Report r = found.getLast();
        assertTrue(r.fits() && r.copies() > 0 && r.recomputed() < r.written(), r::toString);
        assertEquals(s.graph().size() + r.copies(), fitted.graph().size());
        for (Node n : fitted.graph().nodes())
            if (n.name().endsWith("/again")) assertEquals(1, n.controls().size(), n::name);
        assertEquals(3 * Make.bytes(LARGE), r.least());
    }

    /** One that parks a byte while it does so much work. */
    private record Parking(double workPerByte) implements FitMemory.Machine {
        @Override
        public int[] regions(Graph g) {
            return new int[g.size()];
        }
    }

    private FitMemory.Report parked(double workPerByte, double share, List<Subgraph> made) {
        Subgraph s = Cut.run(graph, List.of(), Make.edges(forwardAndBack(24)), List.of());
        List<FitMemory.Report> found = new ArrayList<>();
        fit(s, Long.MAX_VALUE, found);
        long budget = (long) (share * found.getFirst().written());
        made.add(new FitMemory(budget, new Parking(workPerByte), found::add).run(s, Services.NONE));
        return found.getLast();
    }

    @Test
    void valuesThatWaitLongestAreParkedAndComeBackBeforeTheyAreRead() {
        List<Subgraph> made = new ArrayList<>();
        FitMemory.Report r =
                parked(0.1, 0.6, made); // a value of 4 MB takes as long as a fifth of the node that makes it
        Graph g = made.getFirst().graph();
        Verifier.check("memory", made.getFirst());
        assertTrue(r.fits() && r.moved().values() > 0, r::toString);
        assertEquals(0, r.copies());
        assertEquals(r.moved().values() * Make.bytes(LARGE), r.moved().bytes());
        List<Node> parks =
                g.nodes().stream().filter(n -> n.op() instanceof Park).toList();
        assertEquals(r.moved().values(), parks.size());
        assertEquals("f0/parked", parks.getFirst().name());
        for (Node p : parks) {
            Node back = g.node(p.name().replace("/parked", "/back"));
            Node late = g.node("d" + p.input(0).node().name());
            assertEquals(p, back.input(0).node());
            assertTrue(late.inputs().contains(back.edge(0)), late::toString);
            assertTrue(p.id() > p.input(0).node().id() + 1 && back.id() < late.id(), late::name);
        }
        assertEquals(r.recomputed(), peak(new StepMemory(g, new int[g.size()])));
    }

    @Test
    void whatWouldNotBeAwayInTimeIsComputedAgain() {
        FitMemory.Report r = parked(1000, 0.6, new ArrayList<>());
        assertTrue(r.fits() && r.copies() > 0, r::toString);
        assertEquals(0, r.moved().values());
    }

    @Test
    void valuesThatNobodyCanComputeAgainAreParkedEvenIfThatTakesTime() {
        Node a = graph.add(new Make(LARGE, true), "a", List.of()), b = make("b", LARGE, a), c = make("c", LARGE, b);
        Subgraph s = Cut.run(graph, List.of(), Make.edges(make("end", SMALL, a, make("d", SMALL, c))), List.of());
        List<FitMemory.Report> found = new ArrayList<>();
        long budget = 2 * Make.bytes(LARGE) + Make.bytes(SMALL);
        new FitMemory(budget, new Parking(1e9), found::add).run(s, Services.NONE);
        assertTrue(found.getFirst().fits(), found::toString);
        assertEquals(1, found.getFirst().moved().values());
    }

    @Test
    void nodesOfOneKernelWriteOnlyWhatOthersReadAndReadUntilItRuns() {
        Node a = make("a", LARGE), b = make("b", LARGE, a), c = make("c", LARGE, b), d = make("d", LARGE, c);
        Subgraph s = Cut.run(graph, List.of(), Make.edges(make("end", SMALL, d)), List.of());
        List<Node> n = s.graph().nodes();
        JoinedNodes joined = new JoinedNodes(s.graph());
        joined.join(n.get(2), n.get(1));
        joined.join(n.get(1), n.get(1));
        joined.writes(n.get(2), 0);
        long size = 4 * LARGE;
        int[] regions = new int[n.size()];
        StepMemory m = new StepMemory(s.graph(), regions, joined);
        int[] written = {0, 1, 2, 3, 4, 5};
        StepMemory.Trace t = m.simulate(written, null);
        assertEquals(size, t.held[1], "b is not written");
        assertEquals(2 * size, t.held[2], "a is there until c is written");
        joined.writesOver(n.get(2), 0, n.get(0).edge(0));
        assertEquals(size, new StepMemory(s.graph(), regions, joined).simulate(written, null).held[2]);
    }

    private static Subgraph fit(Subgraph s, long budget, List<FitMemory.Report> found) {
        return new FitMemory(budget, g -> new int[g.size()], found::add).run(s, Services.NONE);
    }
}
