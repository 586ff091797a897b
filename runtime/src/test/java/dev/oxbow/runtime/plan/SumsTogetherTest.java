package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which sums become one kernel, from regions written by hand. */
final class SumsTogetherTest {
    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", 4, 3);
    private final Edge y = made.input("y", 4, 3);

    private Edge sum(String name, int axis, Edge of) {
        return made.node(name, new HandMade.Sum(axis), of).edge(0);
    }

    private static List<Fusion> joined(OneRegion r) {
        List<Fusion> all = new ArrayList<>(r.fusions(true));
        new SumsTogether(r.facts(), new Device.Fusing(120, 32, 16, true)).join(all);
        return all;
    }

    private static List<List<String>> names(OneRegion r) {
        return joined(r).stream().map(f -> r.names(f.members())).toList();
    }

    @Test
    void sumsOfTheSameValuesAlongTheSameAxesAreOneKernelWithAnOutputEach() {
        Edge bias = sum("bias", 0, made.negate("a", x)), scale = sum("scale", 0, made.add("b", y, x));
        OneRegion r = OneRegion.with("a", made, bias, scale);
        assertEquals(List.of(List.of("a", "bias", "b", "scale")), names(r));
        Fusion f = joined(r).getFirst();
        assertTrue(f.reduces());
        assertEquals(List.of(new Port(r.at("bias"), 0), new Port(r.at("scale"), 0)), f.outputs());
        assertArrayEquals(new int[] {r.slot("_feed/x_0"), r.slot("_feed/y_0")}, f.inputSlots());
        Expr first = Expr.input(0, DType.F32), second = Expr.input(1, DType.F32);
        assertEquals(List.of(first.negated(), second.plus(first)), f.expressions());
    }

    @Test
    void sumsAlongOtherAxesOrOfOtherValuesStayApart() {
        Edge a = sum("rows", 0, made.negate("a", x)), b = sum("columns", 1, made.negate("b", x));
        assertEquals(2, joined(OneRegion.with("a", made, a, b)).size());
        Edge c = sum("c", 0, made.negate("nc", x)), d = sum("d", 0, made.negate("nd", y));
        assertEquals(2, joined(OneRegion.with("nc", made, c, d)).size());
    }

    @Test
    void aSumThatIsWantedBeforeTheOtherIsThereStaysByItself() {
        Edge first = sum("first", 0, made.negate("a", x));
        Edge needs = made.add(
                "b", x, made.node("between", new HandMade.Rows(1), first).edge(0));
        Edge last = sum("last", 0, needs);
        OneRegion r = OneRegion.with("a", made, first, last);
        assertEquals(2, joined(r).stream().filter(Fusion::reduces).count());
    }

    @Test
    void noMoreThanThreeAreOne() {
        Edge[] all = new Edge[4];
        for (int i = 0; i < all.length; i++) all[i] = sum("sum" + i, 0, made.negate("n" + i, x));
        OneRegion r = OneRegion.with("n0", made, all);
        assertEquals(
                List.of(3, 1), joined(r).stream().map(f -> f.outputs().size()).toList());
    }
}
