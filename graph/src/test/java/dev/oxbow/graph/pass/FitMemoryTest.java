package dev.oxbow.graph.pass;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Identity;
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

    private static Subgraph fit(Subgraph s, long budget, List<FitMemory.Report> found) {
        return new FitMemory(budget, g -> new int[g.size()], found::add).run(s, Services.NONE);
    }
}
