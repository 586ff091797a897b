package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which instructions become one kernel, from regions written by hand. */
final class FuserTest {
    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 2, 3);

    @Test
    void aChainOfOneShapeIsOneKernelAndOnlyWhatOthersReadIsItsOutput() {
        Edge a = made.negate("a", x), b = made.add("b", a, x), c = made.negate("c", b);
        OneRegion r = OneRegion.with("a", made, c);
        assertEquals(List.of(List.of("a", "b", "c")), r.fused(true));
        Fusion f = r.fusions(true).getFirst();
        assertEquals(List.of(new Port(r.at("c"), 0)), f.outputs());
        assertArrayEquals(r.instructions()[r.at("a")].in, f.inputSlots());
        assertEquals(Shape.of(2, 3), f.shape());
    }

    @Test
    void withoutJoiningEachIsAKernelOfItsOwn() {
        Edge c = made.negate("c", made.negate("a", x));
        assertEquals(
                List.of(List.of("a"), List.of("c")),
                OneRegion.with("a", made, c).fused(false));
    }

    @Test
    void anotherShapeDoesNotJoinAndASmallerInputIsBroadcast() {
        Edge small = made.negate("small", made.input("row", 3));
        Edge a = made.add("a", x, small), b = made.negate("b", a);
        OneRegion r = OneRegion.with("a", made, b);
        assertEquals(List.of(List.of("small"), List.of("a", "b")), r.fused(true));
    }

    @Test
    void aValueThatOthersReadInBetweenEndsTheChain() {
        Edge a = made.negate("a", x);
        Edge rows = made.node("rows", new HandMade.Rows(1), a).edge(0);
        Edge c = made.add("c", a, rows);
        OneRegion r = OneRegion.with("a", made, c);
        assertEquals(List.of(List.of("a"), List.of("c")), r.fused(true));
        Edge later = made.node("later", new HandMade.Rows(1), a).edge(0);
        Edge d = made.negate("d", a);
        OneRegion s = OneRegion.with("d", made, later, d);
        assertTrue(s.fused(true).contains(List.of("a")) && s.fused(true).contains(List.of("d")));
    }

    @Test
    void whatAnotherRegionWaitsForIsNotHeldUp() {
        Edge a = made.negate("a", x), b = made.negate("b", a);
        Edge w = made.await("w", a);
        OneRegion r = OneRegion.with("a", made, b, w);
        assertEquals(List.of(List.of("a"), List.of("b")), r.fused(true));
    }

    @Test
    void aReductionOfWhatNobodyElseReadsIsTheLastMember() {
        Edge a = made.negate("a", x), b = made.negate("b", a);
        Edge sum = made.node("sum", new HandMade.Sum(1), b).edge(0);
        OneRegion r = OneRegion.with("a", made, sum);
        assertEquals(List.of(List.of("a", "b", "sum")), r.fused(true));
        Fusion f = r.fusions(true).getFirst();
        assertTrue(f.reduces());
        assertArrayEquals(new int[] {1}, f.axes());
        assertEquals(List.of(new Port(r.at("sum"), 0)), f.outputs());
        OneRegion fetched = OneRegion.with("a", made, b, sum);
        assertEquals(List.of(List.of("a", "b")), fetched.fused(true), "b is wanted whole");
        assertFalse(fetched.fusions(true).getFirst().reduces());
    }

    @Test
    void aKernelTakesSoManyMembersAndInputsAtMost() {
        Edge y = x;
        for (int i = 0; i < 40; i++) y = made.negate("y" + i, y);
        OneRegion r = OneRegion.with("y0", made, y);
        assertEquals(
                List.of(32, 8),
                r.fusions(true).stream().map(f -> f.members().length).toList());
        Edge many = x;
        for (int i = 0; i < 20; i++) many = made.add("z" + i, many, made.input("in" + i, 2, 3));
        for (Fusion f : OneRegion.with("z0", made, many).fusions(true)) assertTrue(f.inputSlots().length <= 16);
    }

    @Test
    void branchesDoNotJoinWhatIsAlwaysAlive() {
        Edge a = made.negate("a", x);
        Edge go = made.node("go", new HandMade.Positive(), x).edge(0);
        Edge branch = made.node("switch", new Switch(), a, go).edge(1);
        Edge b = made.negate("b", branch), c = made.negate("c", b), d = made.negate("d", a);
        Edge merge = made.node("merge", new Merge(), c, d).edge(0);
        for (List<String> members : OneRegion.with("a", made, merge).fused(true))
            assertFalse(members.contains("a") && members.contains("b"), members.toString());
    }
}
