package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The calls of a region, what they depend on and how they can be cut, from regions written by hand. */
final class UnitsTest {
    private static final float LARGE = 1 << 20;

    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 8, 64);

    private Edge rows(String name, Edge in) {
        return made.node(name, new HandMade.Rows(LARGE), in).edge(0);
    }

    private static int unit(OneRegion r, Units u, String node) {
        return u.of(r.at(node));
    }

    @Test
    void aFusionIsOneCallAndAConstantThatNobodyAsksForIsNone() {
        Edge a = made.negate("a", x), b = made.negate("b", a);
        Edge n = made.node("n", new HandMade.Size(), x).edge(0);
        OneRegion r = OneRegion.with("a", made, b, made.add("twice", n, n));
        Units u = r.units(true, false);
        assertEquals(unit(r, u, "a"), unit(r, u, "b"));
        assertEquals(-1, unit(r, u, "n"), "its only reader is a constant too");
        assertEquals(RegionPlan.Kind.STORE, u.get(unit(r, u, "twice")).kind(), "the caller wants it");
        assertEquals(RegionPlan.Kind.KERNEL, u.get(unit(r, u, "b")).kind());
        assertEquals(RegionPlan.Kind.GENERAL, u.get(0).kind());
        assertArrayEquals(r.instructions()[r.at("a")].in, u.inputs(u.get(unit(r, u, "b"))));
        assertEquals(List.of(new Port(r.at("b"), 0)), u.outputs(u.get(unit(r, u, "b"))));
    }

    @Test
    void withoutSectionsEachCallIsItsOwnInTheOrderOfTheGraph() {
        Edge y = rows("b", rows("a", x));
        OneRegion r = OneRegion.with("a", made, y);
        Units u = r.units(true, false);
        assertEquals(u.count(), u.sections().size());
        for (int i = 0; i < u.count(); i++) {
            assertEquals(List.of(i), u.sections().get(i).units());
            assertEquals(i, u.sectionEnd(i));
            assertFalse(u.isChained(i));
        }
    }

    @Test
    void whatIsComputedRowByRowBecomesAChainAndSumsOverRowsComeAfterIt() {
        Edge a = rows("a", x), sum = made.node("sum", new HandMade.Sum(0), a).edge(0);
        Edge b = rows("b", a);
        OneRegion r = OneRegion.with("a", made, sum, b);
        Units u = r.units(true, true);
        assertEquals(unit(r, u, "a") + 1, unit(r, u, "b"));
        assertTrue(unit(r, u, "sum") > unit(r, u, "b"));
        assertTrue(u.isChained(unit(r, u, "a")) && u.isChained(unit(r, u, "b")));
        assertEquals(8, u.blocks(unit(r, u, "a")), "eight rows, a block of work for each and more");
        assertFalse(u.isChained(unit(r, u, "sum")));
    }

    @Test
    void aCallIsCutByRowsWhereEachOfItsMembersIs() {
        Edge row = made.input("row", 64);
        Edge a = made.add("a", x, row),
                over = made.node("over", new HandMade.Sum(0), a).edge(0);
        Edge b = made.add("b", x, row),
                along = made.node("along", new HandMade.Sum(1), b).edge(0);
        Edge c = made.add("c", x, row);
        OneRegion r = OneRegion.with("a", made, over, along, c);
        Units u = r.units(true, false);
        assertNull(u.cut(u.get(unit(r, u, "over"))), "it joins rows");
        assertArrayEquals(new boolean[] {true, false}, u.cut(u.get(unit(r, u, "along"))));
        Units.Unit plain = u.get(unit(r, u, "c"));
        assertArrayEquals(new boolean[] {true, false}, u.cut(plain));
        assertEquals(8, u.pieces(plain, u.cut(plain)));
        assertTrue(u.isCut(plain, u.cut(plain), u.inputs(plain)[0]));
        assertFalse(u.isCut(plain, u.cut(plain), u.inputs(plain)[1]));
        assertEquals(Shape.of(8, 64), u.type(u.outputs(plain).getFirst()).shape());
    }

    @Test
    void aUnitComesAfterWhatItReadsWhollyOrByRows() {
        Edge a = rows("a", x),
                b = rows("b", a),
                sum = made.node("sum", new HandMade.Sum(0), b).edge(0);
        OneRegion r = OneRegion.with("a", made, sum);
        Units u = r.units(false, false);
        UnitView v = new UnitView(u);
        assertEquals(List.of(unit(r, u, "a")), v.rowsAfter(unit(r, u, "b")));
        assertEquals(List.of(unit(r, u, "b")), v.after(unit(r, u, "sum")));
        assertEquals(List.of(), v.rowsAfter(unit(r, u, "sum")));
        assertEquals(8, v.pieces(unit(r, u, "a")));
        assertEquals(0, v.pieces(unit(r, u, "sum")));
        assertEquals(LARGE, v.work(unit(r, u, "a")));
        assertEquals(8 * 64 * Float.BYTES, v.bytes(unit(r, u, "a")));
        assertTrue(v.isParallel(unit(r, u, "a")));
        assertFalse(v.isParallel(0), "an argument is handed over, not computed");
    }

    @Test
    void aControlEdgeAndAReaderThroughAViewAreWaitsToo() {
        Node first = rows("first", x).node();
        Edge ordered, a = rows("a", x);
        try (var _ = made.graph.after(first)) {
            ordered = rows("ordered", x);
        }
        Edge flat = made.node("flat", new HandMade.Flat(), a).edge(0), b = made.negate("b", flat);
        OneRegion r = OneRegion.with("a", made, List.of(ordered, b), List.of(first));
        Units u = r.units(false, false);
        UnitView v = new UnitView(u);
        assertTrue(v.after(unit(r, u, "ordered")).contains(unit(r, u, "first")));
        assertTrue(v.after(unit(r, u, "b")).contains(unit(r, u, "a"))
                || v.rowsAfter(unit(r, u, "b")).contains(unit(r, u, "a")));
    }

    @Test
    void effectsConflictOnTheSameVariableOnly() {
        Edge v = made.node("v", new HandMade.Variable("v", 64)).edge(0);
        Edge w = made.node("w", new HandMade.Variable("w", 64)).edge(0);
        Edge readV = made.node("readV", new HandMade.Read(), v).edge(0);
        Edge readAgain = made.node("readAgain", new HandMade.Read(), v).edge(0);
        Edge sum = made.node("sum", new HandMade.Sum(0), x).edge(0);
        Node writeV = made.node("writeV", new HandMade.Write(), v, sum);
        Node writeW = made.node("writeW", new HandMade.Write(), w, sum);
        OneRegion r = OneRegion.with("readV", made, List.of(readV, readAgain), List.of(writeV, writeW));
        Units u = r.units(false, false);
        UnitView view = new UnitView(u);
        assertTrue(view.conflict(unit(r, u, "readV"), unit(r, u, "writeV")));
        assertFalse(view.conflict(unit(r, u, "readV"), unit(r, u, "readAgain")));
        assertFalse(view.conflict(unit(r, u, "writeV"), unit(r, u, "writeW")));
        assertTrue(view.hasEffects(unit(r, u, "writeV")));
        assertFalse(view.hasEffects(unit(r, u, "sum")));
        assertFalse(view.isUpdate(unit(r, u, "writeV")), "it is small");
    }

    @Test
    void aLargeUpdatePassesWhatNeitherMakesItsValueNorReadsItsVariable() {
        long many = 1 << 17;
        Edge v = made.node("v", new HandMade.Variable("v", many)).edge(0);
        Edge read = made.node("read", new HandMade.Read(), v).edge(0);
        Edge reader = made.negate("reader", read);
        Edge gradient = made.negate("gradient", made.input("given", many));
        Edge other = rows("other", x);
        Node write = made.node("write", new HandMade.Write(), v, gradient);
        OneRegion r = OneRegion.with("read", made, List.of(reader, other), List.of(write));
        Units u = r.units(false, false);
        UnitView view = new UnitView(u);
        int update = unit(r, u, "write");
        assertTrue(view.isUpdate(update));
        assertTrue(view.mayPass(update, unit(r, u, "other")));
        assertFalse(view.mayPass(update, unit(r, u, "gradient")), "it makes what is written");
        assertFalse(view.mayPass(update, unit(r, u, "read")), "it reads what is written to");
    }

    @Test
    void whatOthersWaitForDoesNotMove() {
        Edge a = rows("a", x), b = rows("b", x);
        OneRegion r = OneRegion.with("a", made, made.await("w", a), b);
        Units u = r.units(false, false);
        UnitView v = new UnitView(u);
        assertFalse(v.isMovable(unit(r, u, "a")));
        assertTrue(v.isMovable(unit(r, u, "b")));
    }
}
