package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class TensorTextTest {
    @Test
    void aTensorPrintsTypeShapeAndElements() {
        assertEquals("f32[] 2.5", Tensor.scalar(2.5f).toString());
        assertEquals("i64[3] [1, -2, 3]", Tensor.of(Shape.of(3), 1L, -2L, 3L).toString());
        assertEquals(
                "bool[2] [true, false]", Tensor.of(Shape.of(2), true, false).toString());
        assertEquals(
                "string[2] [\"a\", \"b c\"]", Tensor.of(Shape.of(2), "a", "b c").toString());
        assertEquals(
                "f64[2,2]\n[[1.0, 2.0],\n [3.0, 4.0]]",
                Tensor.of(Shape.of(2, 2), 1.0, 2.0, 3.0, 4.0).toString());
        assertEquals(
                "i32[2,1,1]\n[[[1]],\n\n [[2]]]",
                Tensor.of(Shape.of(2, 1, 1), 1, 2).toString());
        assertEquals("c64[1] [0.0+0.0i]", Tensor.zeros(DType.C64, Shape.of(1)).toString());
    }

    @Test
    void ofALargeTensorTheEndsArePrinted() {
        Tensor t = Tensor.zeros(DType.I32, Shape.of(1000));
        t.set(999, 7);
        assertEquals("i32[1000] [0, 0, 0, ..., 0, 0, 7]", t.toString());
        assertEquals(
                "u8[1099511627776,0] []",
                Tensor.zeros(DType.U8, Shape.of(1L << 40, 0)).toString());
        assertTrue(Tensor.zeros(DType.U8, Shape.of(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2))
                        .toString()
                        .length()
                < 100);
        assertTrue(Tensor.zeros(DType.U8, Shape.of(9, 9, 9, 9, 9)).toString().length() < 10_000);
        assertTrue(Tensor.scalar("x".repeat(1_000_000)).toString().length() < 100);
    }

    @Test
    void aClosedTensorSaysSo() {
        Tensor t = Tensor.scalar(1);
        t.close();
        assertEquals("i32[] (closed)", t.toString());
        Tensor released = Tensor.allocate(DType.F32, Shape.of(2));
        released.close();
        assertEquals("f32[2] (closed)", released.toString());
    }
}
