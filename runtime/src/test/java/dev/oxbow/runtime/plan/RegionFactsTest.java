package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.plan.RegionFacts.Mode;
import dev.oxbow.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a record tells of instructions and slots, from regions written by hand. */
final class RegionFactsTest {
    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 2, 3);

    @Test
    void eachInstructionIsAsSureAsWhatIsKnownOfIt() {
        Edge a = made.negate("a", x);
        Edge flat = made.node("flat", new HandMade.Flat(), a).edge(0);
        Edge flatInput = made.node("flatInput", new HandMade.Flat(), x).edge(0);
        Edge n = made.node("n", new HandMade.Size(), x).edge(0);
        Edge y = made.negate("y", made.add("sum", flat, flatInput));
        OneRegion r = OneRegion.with("a", made, y, made.add("more", n, n));
        RegionFacts f = r.facts();
        assertEquals(Mode.DYNAMIC, f.modes[0], "arguments come from outside");
        assertEquals(Mode.STATIC, f.modes[r.at("a")]);
        assertEquals(Mode.VIEW, f.modes[r.at("flat")]);
        assertEquals(Mode.DYNAMIC, f.modes[r.at("flatInput")], "the memory of an argument is another each time");
        assertEquals(Mode.CONSTANT, f.modes[r.at("n")]);
        assertEquals(6, f.constant(r.slot("n")).getLong(0));
        assertEquals(r.at("a"), f.producer[r.slot("a")]);
        assertEquals(List.of(r.at("flat")), f.readers.get(r.slot("a")));
    }

    @Test
    void aViewShowsItsSourceWhoseMemoryItsReadersRead() {
        Edge a = made.negate("a", x);
        Edge flat = made.node("flat", new HandMade.Flat(), a).edge(0);
        OneRegion r = OneRegion.with("a", made, made.negate("y", flat));
        RegionFacts f = r.facts();
        assertEquals(r.slot("a"), f.roots[r.slot("flat")]);
        assertEquals(List.of(r.at("y")), f.memoryReaders.get(r.slot("a")));
        assertEquals(Shape.of(6), f.type(r.slot("flat")).shape());
    }

    @Test
    void whatIsFetchedLeavesAndAViewOfItIsMadeWhenItIsWanted() {
        Edge a = made.negate("a", x), inner = made.negate("inner", x);
        Edge flat = made.node("flat", new HandMade.Flat(), a).edge(0);
        OneRegion r = OneRegion.with("a", made, a, made.negate("y", flat), made.negate("z", inner));
        RegionFacts f = r.facts();
        assertTrue(f.escapes[r.slot("a")] && f.escapes[r.slot("y")]);
        assertFalse(f.escapes[r.slot("inner")]);
        assertEquals(Mode.DYNAMIC, f.modes[r.at("flat")]);
    }

    @Test
    void whatAnotherRegionReadsLeaves() {
        Edge a = made.negate("a", x), b = made.negate("b", x);
        Edge w = made.await("w", a);
        OneRegion r = OneRegion.with("a", made, made.add("y", w, b));
        RegionFacts f = r.facts();
        assertTrue(f.escapes[r.slot("a")] && f.escapes[r.slot("b")]);
        assertTrue(f.isWatched(r.at("a")));
    }

    @Test
    void aConstantThatFollowsFromAShapeOfElsewhereIsGuarded() {
        Edge w = made.await("w", x);
        Edge inside = made.node("inside", new HandMade.Size(), x).edge(0);
        Edge outside = made.node("outside", new HandMade.Size(), w).edge(0);
        List<Edge> both = List.of(made.add("one", inside, inside), made.add("two", outside, outside));
        OneRegion first = OneRegion.with("inside", made, both, List.of());
        OneRegion second = OneRegion.with("outside", made, both, List.of());
        assertFalse(first.facts().isGuarded(first.at("inside")), "shapes of arguments choose the plan");
        assertTrue(second.facts().isGuarded(second.at("outside")));
    }

    @Test
    void rowsAreCutAndMemoryWrittenOverWhereTheOpSaysSo() {
        Edge rows = made.node("rows", new HandMade.Rows(1), x).edge(0);
        Edge sum = made.node("sum", new HandMade.Sum(1), rows).edge(0);
        Edge y = made.negate("y", sum);
        OneRegion r = OneRegion.with("rows", made, y);
        RegionFacts f = r.facts();
        assertTrue(f.rows(r.at("rows")).rowInputs()[0]);
        assertFalse(f.worksInPlace(r.at("rows")));
        assertTrue(f.worksInPlace(r.at("y")));
        assertTrue(f.isFusible(r.at("y")));
        assertFalse(f.isFusible(r.at("rows")));
        assertEquals(1, f.axes(r.at("sum"))[0]);
    }
}
