package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The methods of a value that put ops together. */
final class ValueTest {
    private final Ops ops = Ops.in(new Graph());

    private Value of(Shape shape, double... values) {
        return ops.constant(Tensor.of(shape, values));
    }

    private static void assertIs(Value v, Shape shape, double... values) {
        assertEquals(shape, v.shape());
        try (Session s = Session.open(v.graph());
                Results r = s.fetch(v.edge()).run()) {
            assertEquals(shape, r.get(0).shape());
            assertArrayEquals(values, r.get(0).doubles(), 1e-12);
        }
    }

    @Test
    void partsAreCutAndPutTogether() {
        Value x = of(Shape.of(2, 3), 1, 2, 3, 4, 5, 6);
        assertIs(x.slice(1, 1, 2), Shape.of(2, 2), 2, 3, 5, 6);
        assertIs(x.slice(-1, 2, -1), Shape.of(2, 1), 3, 6);
        assertIs(x.slice(0, 1, 1).squeeze(0), Shape.of(3), 4, 5, 6);
        List<Value> columns = x.split(3, 1);
        assertIs(columns.get(1), Shape.of(2, 1), 2, 5);
        assertIs(Value.concat(1, columns.get(2), x), Shape.of(2, 4), 3, 1, 2, 3, 6, 4, 5, 6);
        assertIs(Value.stack(0, x.sum(0), x.max(0)), Shape.of(2, 3), 5, 7, 9, 4, 5, 6);
        assertIs(x.reverse(1), Shape.of(2, 3), 3, 2, 1, 6, 5, 4);
        assertIs(ops.constant(2, 0).oneHot(3, DType.F64), Shape.of(2, 3), 0, 0, 1, 1, 0, 0);
        OxbowException e = assertThrows(OxbowException.class, () -> x.slice(2, 0, 1));
        assertTrue(e.getMessage().contains("slice: there is no axis 2 in [2,3]"), e.getMessage());
    }

    @Test
    void functionsOfElementsFollowTheirFormulas() {
        Value x = of(Shape.of(3), -1, 0, 2);
        assertIs(x.clipped(-0.5, 1), Shape.of(3), -0.5, 0, 1);
        assertIs(x.leakyRelu(0.25), Shape.of(3), -0.25, 0, 2);
        assertIs(x.elu(), Shape.of(3), Math.expm1(-1), 0, 2);
        assertIs(x.silu(), Shape.of(3), -1 / (1 + Math.E), 0, 2 / (1 + Math.exp(-2)));
        // erf(1 / sqrt 2) = 0.6826894921370859, the share within one deviation; within two 0.9544997361036416.
        assertIs(x.gelu(), Shape.of(3), -(1 - 0.6826894921370859) / 2, 0, 1 + 0.9544997361036416);
        assertIs(of(Shape.of(2), 0, Math.log(3)).softmax(), Shape.of(2), 0.25, 0.75);
        assertIs(of(Shape.of(2), 0, Math.log(3)).logSoftmax(), Shape.of(2), Math.log(0.25), Math.log(0.75));
    }

    @Test
    void droppedElementsAreZeroAndTheOthersGrow() {
        Value x = ops.constant(Tensor.of(Shape.of(1000), new double[1000])).plus(1);
        Value seeds = ops.constant(3, 4);
        Value often = x.dropout(0.75), same = x.dropout(0.75, seeds), again = x.dropout(0.75, seeds);
        try (Session s = Session.open(x.graph());
                Results r = s.fetch(often.edge(), same.edge(), again.edge()).run();
                Results next = s.fetch(often.edge()).run()) {
            for (int i = 0; i < 2; i++) {
                double[] values = r.get(i).doubles();
                assertTrue(Arrays.stream(values).allMatch(v -> v == 0 || v == 4));
                assertEquals(250, Arrays.stream(values).filter(v -> v == 4).count(), 60); // 4 deviations
            }
            assertArrayEquals(r.get(1).doubles(), r.get(2).doubles());
            assertFalse(Arrays.equals(r.get(0).doubles(), next.get(0).doubles()));
        }
        assertThrows(OxbowException.class, () -> x.dropout(1));
    }

    @Test
    void imagesAreFilteredAndPooled() {
        Value x = of(Shape.of(1, 2, 4, 1), 1, 2, 3, 4, 5, 6, 7, 8);
        assertIs(x.maxPool(2), Shape.of(1, 1, 2, 1), 6, 8);
        assertIs(x.avgPool(2), Shape.of(1, 1, 2, 1), 3.5, 5.5);
        Value sums = of(Shape.of(2, 2, 1, 1), 1, 1, 1, 1);
        assertIs(x.conv2d(sums, 1, "VALID"), Shape.of(1, 1, 3, 1), 14, 18, 22);
        assertIs(x.conv2d(sums, 2, "SAME"), Shape.of(1, 1, 2, 1), 14, 22);
    }

    @Test
    void aNamedValueIsFoundByItsName() {
        Value scores = of(Shape.of(1), 7).plus(1).named("scores");
        assertEquals("scores", scores.node().name());
        try (Session s = Session.open(ops.graph());
                Results r = s.fetch(ops.graph().edge("scores:0")).run()) {
            assertEquals(8, r.get(0).getDouble(0));
        }
        OxbowException e = assertThrows(OxbowException.class, () -> ops.graph().node("score"));
        assertTrue(e.getMessage().contains("'scores'"), e.getMessage());
    }

    @Test
    void rowsThatRepeatAreAddedUp() {
        Slices twice = new Slices(of(Shape.of(3, 2), 1, 2, 3, 4, 5, 6), ops.constant(4, 1, 4), ops.constant(5, 2));
        Slices once = twice.summed();
        try (Session s = Session.open(ops.graph());
                Results r = s.fetch(once.indices().edge(), once.values().edge()).run()) {
            assertArrayEquals(new int[] {4, 1}, r.get(0).ints());
            assertArrayEquals(new double[] {6, 8, 3, 4}, r.get(1).doubles());
        }
    }
}
