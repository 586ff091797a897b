package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.HostKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole plans, and which of them are kept, from regions written by hand. */
final class PlannerTest {
    private static final long BYTES = 8 * 64 * Float.BYTES;

    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", Shape.UNKNOWN_DIM, 64);
    private final Device device = HandMade.device(0);

    private OneRegion region(String node, long rows, Edge... fetches) {
        return OneRegion.with(node, made, List.of(fetches), List.of(), of(rows));
    }

    private static Tensor of(long rows) {
        return Tensor.zeros(DType.F32, Shape.of(rows, 64));
    }

    private static RegionPlan.Call call(OneRegion r, RegionPlan p, String node) {
        return p.calls.stream()
                .filter(c -> Arrays.stream(c.members()).anyMatch(m -> m == r.at(node)))
                .findAny()
                .orElseThrow();
    }

    @Test
    void aKernelIsBoundToPlacesAndAResultThatIsFetchedGetsNewMemory() {
        Edge a = made.node("a", new HandMade.Rows(1), x).edge(0),
                y = made.node("y", new HandMade.Rows(1), a).edge(0);
        OneRegion r = region("a", 8, y);
        RegionPlan p = r.plan(device, true, true);
        RegionPlan.Call first = call(r, p, "a"), last = call(r, p, "y");
        assertSame(r.instructions()[r.at("a")].kernel, first.kernel());
        assertEquals(-1, first.inputs()[0].fixed());
        assertEquals(Shape.of(8, 64), first.inputs()[0].expected(), "an argument is checked");
        assertEquals(first.outputs()[0].fixed(), last.inputs()[0].fixed());
        assertNull(last.inputs()[0].expected(), "what the plan makes is sure");
        assertEquals(-1, last.outputs()[0].fixed());
        assertEquals(r.slot("y"), last.outputs()[0].slot());
        assertEquals(BYTES, p.blockSize);
        assertEquals(BYTES, p.bytesOutside());
        assertArrayEquals(new int[] {first.outputs()[0].fixed()}, p.fixedOutputs[r.at("a")]);
    }

    @Test
    void aFusedCallHasTheDevicesKernelForItsFormula() {
        Edge b = made.negate("b", made.negate("a", x));
        OneRegion r = region("a", 8, b);
        RegionPlan p = r.plan(device, true, true);
        assertEquals(2, call(r, p, "a").members().length);
        assertSame(call(r, p, "a"), call(r, p, "b"));
        assertEquals(1, p.fusions.size());
        RegionPlan apart = r.plan(device, false, false);
        assertEquals(2, apart.fusions.size());
    }

    @Test
    void aPlanFitsArgumentsOfItsShapesOnly() {
        OneRegion r = region("a", 8, made.negate("a", x));
        RegionPlan p = r.plan(device, true, true);
        assertTrue(p.fits(new Tensor[] {of(8)}));
        assertFalse(p.fits(new Tensor[] {of(7)}));
    }

    @Test
    void aConstantOfTheGradientsChainIsStoredWhereSomebodyLooksForIt() {
        Edge n = made.node("n", new HandMade.Size(), x).edge(0);
        OneRegion r = region("n", 8, n);
        RegionPlan p = r.plan(device, true, true);
        RegionPlan.Call c = call(r, p, "n");
        assertEquals(RegionPlan.Kind.STORE, c.kind());
        assertNull(c.kernel());
        assertEquals(512, p.values.get(c.outputs()[0].fixed()).constant().getLong(0));
    }

    @Test
    void theFirstCallOfABranchFindsOutForTheOthers() {
        Edge y = made.input("y", 8, 64),
                go = made.node("go", new HandMade.Positive(), y).edge(0);
        Node s = made.node("switch", new Switch(), y, go);
        Edge a = made.node("a", new HandMade.Rows(1), s.edge(1)).edge(0);
        Edge b = made.node("b", new HandMade.Rows(1), a).edge(0);
        Edge no = made.node("no", new HandMade.Rows(1), s.edge(0)).edge(0);
        OneRegion r =
                OneRegion.with("a", made, made.node("merge", new Merge(), no, b).edge(0));
        RegionPlan p = r.plan(device, true, true);
        assertTrue(call(r, p, "a").leader() && call(r, p, "no").leader());
        assertFalse(call(r, p, "b").leader());
        assertEquals(call(r, p, "a").condition(), call(r, p, "b").condition());
        assertEquals(2, p.conditions);
    }

    @Test
    void slotsAreReleasedAfterTheLastCallThatLooksThere() {
        Edge flat = made.node("flat", new HandMade.Flat(), x).edge(0), y = made.negate("y", flat);
        OneRegion r = region("flat", 8, y);
        RegionPlan p = r.plan(device, true, false);
        int slot = r.slot("flat");
        List<RegionPlan.Call> releasing = p.calls.stream()
                .filter(c -> Arrays.stream(c.release()).anyMatch(s -> s == slot))
                .toList();
        assertEquals(1, releasing.size());
        assertSame(call(r, p, "y"), releasing.getFirst());
    }

    @Test
    void aCacheKeepsAFewPlansTheNewestFirstAndOneRunMakesItAhead() {
        Edge y = made.negate("a", x);
        OneRegion any = region("a", 1, y);
        PlanCache cache = new PlanCache(any.of(), any.frame().slots(), device);
        assertTrue(cache.isFirstRun());
        assertFalse(cache.isFirstRun());
        for (int rows = 1; rows <= 5; rows++) {
            Recording record = new Forecast(any.instructions(), new Tensor[] {of(rows)}).record;
            assertNotNull(cache.make(record, true));
        }
        assertNull(cache.find(new Tensor[] {of(1)}), "four are kept");
        RegionPlan five = cache.find(new Tensor[] {of(5)});
        assertNotNull(five);
        assertNotNull(cache.find(new Tensor[] {of(2)}));
        cache.remove(five);
        assertNull(cache.find(new Tensor[] {of(5)}));
        cache.close();
        assertNull(cache.find(new Tensor[] {of(2)}));
    }

    @Test
    void aPlanThatTheBudgetHasNoRoomForIsNotMade() {
        Edge a = made.node("a", new HandMade.Rows(1), x).edge(0),
                y = made.node("y", new HandMade.Rows(1), a).edge(0);
        OneRegion r = region("a", 8, y);
        RegionPlan p = r.plan(device, true, true);
        assertTrue(p.fits(new MemoryPool("none", Long.MAX_VALUE), 2));
        assertTrue(p.fits(new MemoryPool("twice", 4 * BYTES), 2));
        assertFalse(p.fits(new MemoryPool("half", 2 * BYTES), 2), "a part of the rest is not planned for");
        PlanCache small = new PlanCache(r.of(), r.frame().slots(), HandMade.device(0, BYTES));
        assertNull(small.make(r.forecast().record, true));
        assertTrue(small.doNotFit());
    }

    @Test
    void aDeviceWithoutKernelsForFormulasUsesTheHosts() {
        OneRegion r = region("a", 8, made.negate("b", made.negate("a", x)));
        RegionPlan p = r.plan(new HandMade.Bare(), true, true);
        assertInstanceOf(HostKernel.class, call(r, p, "a").kernel());
    }
}
