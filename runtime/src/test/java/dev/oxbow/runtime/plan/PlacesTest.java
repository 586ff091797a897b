package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.tensor.Shape;
import org.junit.jupiter.api.Test;

/** Where values of a plan lie, from regions written by hand. */
final class PlacesTest {
    private static final long BYTES = 8 * 64 * Float.BYTES;

    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 8, 64);

    private static final Parallel THREE = new Parallel() {
        @Override
        public void run(long n, long grain, Range task) {
            Parallel.SERIAL.run(n, grain, task);
        }

        @Override
        public int threads() {
            return 3;
        }
    };

    private Edge whole(String name, Edge in) {
        return made.node(name, new HandMade.Rows(1), in).edge(0);
    }

    private static RegionPlan.Fixed of(OneRegion r, Places p, String node) {
        return p.values().get(p.of(r.slot(node)));
    }

    @Test
    void aPlaceIsFreeAfterItsLastReader() {
        Edge a = whole("a", x), b = whole("b", a), c = whole("c", b), d = whole("d", c);
        OneRegion r = OneRegion.with("a", made, d);
        Places p = new Places(r.units(false, false), Parallel.SERIAL);
        assertEquals(of(r, p, "a").offset(), of(r, p, "c").offset());
        assertNotEquals(of(r, p, "a").offset(), of(r, p, "b").offset());
        assertEquals(2 * BYTES, p.size());
        assertEquals(-1, p.of(r.slot("d")), "what is fetched has memory of its own");
        assertEquals(-1, p.of(r.instructions()[r.at("a")].in[0]), "arguments come with theirs");
    }

    @Test
    void whatWorksInPlaceTakesOverThePlaceOfWhatEndsThere() {
        Edge a = whole("a", x), b = made.negate("b", a), c = whole("c", b);
        OneRegion r = OneRegion.with("a", made, c);
        Places p = new Places(r.units(false, false), Parallel.SERIAL);
        assertEquals(of(r, p, "a").offset(), of(r, p, "b").offset());
        assertEquals(BYTES, p.size());
        Edge again = whole("again", a);
        OneRegion s = OneRegion.with("a", made, c, again);
        Places q = new Places(s.units(false, false), Parallel.SERIAL);
        assertNotEquals(of(s, q, "a").offset(), of(s, q, "b").offset(), "it is read later");
    }

    @Test
    void aViewLiesWhereItsSourceLiesAndKeepsItThere() {
        Edge a = whole("a", x);
        Edge flat = made.node("flat", new HandMade.Flat(), a).edge(0);
        Edge b = whole("b", x), c = whole("c", b), y = made.negate("y", flat);
        OneRegion r = OneRegion.with("a", made, c, y);
        Places p = new Places(r.units(false, false), Parallel.SERIAL);
        assertEquals(of(r, p, "a").offset(), of(r, p, "flat").offset());
        assertEquals(Shape.of(512), of(r, p, "flat").type().shape());
        assertNotEquals(of(r, p, "a").offset(), of(r, p, "b").offset(), "y still reads it");
    }

    @Test
    void constantsHaveNoPlaceInTheBlock() {
        Edge n = made.node("n", new HandMade.Size(), x).edge(0);
        OneRegion r = OneRegion.with("n", made, made.add("twice", n, n));
        Places p = new Places(r.units(false, false), Parallel.SERIAL);
        assertEquals(512, of(r, p, "n").constant().getLong(0));
        assertEquals(-1, of(r, p, "n").offset());
        assertEquals(0, p.size());
    }

    @Test
    void whatOnlyItsChainReadsLiesInALaneForEachThread() {
        Edge y = x;
        for (String n : new String[] {"a", "b", "c", "d"})
            y = made.node(n, new HandMade.Rows(1 << 20), y).edge(0);
        OneRegion r = OneRegion.with("a", made, y);
        Units u = r.units(false, true);
        assertEquals(8, u.blocks(u.of(r.at("b"))));
        Places p = new Places(u, THREE);
        long block = BYTES / 8;
        assertEquals(2 * block, of(r, p, "b").stride(), "a and b, of which c takes the first again");
        assertEquals(of(r, p, "a").offset(), of(r, p, "c").offset());
        assertEquals(3 * 2 * block, p.size());
        assertTrue(new Places(r.units(false, false), THREE).size() > p.size());
    }
}
