package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TensorTest {

    @Test
    void arraysAndBuffersComeBackAsTheyWent() {
        float[] values = {1, -2.5f, Float.NaN, 0};
        try (Tensor t = Tensor.of(Shape.of(2, 2), values);
                Tensor u = Tensor.of(Shape.of(4), FloatBuffer.wrap(values))) {
            assertArrayEquals(values, t.floats());
            assertArrayEquals(values, u.floats());
            FloatBuffer out = FloatBuffer.allocate(4);
            t.copyTo(out);
            assertArrayEquals(values, out.array());
        }
        assertArrayEquals(new long[] {5, -6}, Tensor.of(Shape.of(2), 5L, -6L).longs());
        assertArrayEquals(
                new boolean[] {true, false}, Tensor.of(Shape.of(2), true, false).booleans());
        assertEquals(List.of("a", "bé"), Tensor.of(Shape.of(2), "a", "bé").strings());
    }

    @Test
    void theWrongNumberOfValuesIsAnErrorWithBothNumbers() {
        var e = assertThrows(OxbowException.class, () -> Tensor.of(Shape.of(2, 3), 1f, 2f));
        assertEquals("Tensor: f32[2,3] needs 6 values, got 2", e.getMessage());
        e = assertThrows(OxbowException.class, () -> Tensor.ofBytes(DType.I32, Shape.of(2), ByteBuffer.allocate(7)));
        assertEquals("Tensor: i32[2] needs 8 bytes, got 7", e.getMessage());
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"STRING", "RESOURCE", "VARIANT", "C64", "C128"},
            mode = EnumSource.Mode.EXCLUDE)
    void elementsOfEveryNumericDtypeAreSetAndRead(DType dtype) {
        try (Tensor t = Tensor.zeros(dtype, Shape.of(3))) {
            t.set(1, 1);
            assertEquals(0, t.getDouble(0));
            assertEquals(1, t.getDouble(1));
            assertEquals(3L * dtype.size(), t.byteSize());
        }
    }

    @Test
    void unsignedValuesAreReadAsUnsigned() {
        try (Tensor t = Tensor.zeros(DType.U8, Shape.of(1));
                Tensor u = Tensor.zeros(DType.U32, Shape.of(1))) {
            t.setLong(0, 200);
            u.setLong(0, 4_000_000_000L);
            assertEquals(200, t.getLong(0));
            assertEquals(4_000_000_000L, u.getLong(0));
        }
    }

    @Test
    void viewsShareMemoryAndHoldTheirOwnReference() {
        MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        Tensor t = pool.tensor(DType.F32, Shape.of(4, 2), "t");
        Tensor rows = t.viewRows(1, 2), flat = t.view(Shape.of(8));
        t.set(2, 7);
        assertEquals(7, rows.getDouble(0));
        assertEquals(7, flat.getDouble(2));
        t.release();
        rows.release();
        assertEquals(1, pool.bytesInUse() > 0 ? 1 : 0);
        flat.release();
        assertEquals(0, pool.bytesInUse());
    }

    @Test
    void closingTwiceIsHarmless() {
        Tensor t = Tensor.scalar(3);
        t.close();
        t.close();
    }

    @Test
    void halvesRoundToNearestEven() {
        assertEquals(1.0f, Half.fromBf16(Half.toBf16(1.00390625f))); // exactly between 1 and 1.0078125
        assertEquals(1.015625f, Half.fromBf16(Half.toBf16(1.01171875f)));
        assertEquals(Float.POSITIVE_INFINITY, Half.fromBf16(Half.toBf16(Float.MAX_VALUE)));
        assertEquals(65504f, Half.fromF16(Half.toF16(65504f)));
    }
}
