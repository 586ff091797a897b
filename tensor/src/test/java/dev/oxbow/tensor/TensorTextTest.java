package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class TensorTextTest {

    @Test
    void aTensorShowsItsElementsByAxis() {
        assertEquals(
                "f32[2, 2] [[1.0, 2.5], [3.0, -4.0]]",
                Tensor.of(Shape.of(2, 2), 1f, 2.5f, 3f, -4f).toString());
        assertEquals("f64[] 0.1", Tensor.scalar(0.1).toString());
        assertEquals("i64[0] []", Tensor.zeros(DType.I64, Shape.of(0)).toString());
        assertEquals(
                "i32[2, 0] [[], []]", Tensor.zeros(DType.I32, Shape.of(2, 0)).toString());
        assertEquals(
                "bool[2] [true, false]", Tensor.of(Shape.of(2), true, false).toString());
        assertEquals("string[2] [\"a\", \"\"]", Tensor.of(Shape.of(2), "a", "").toString());
    }

    @Test
    void numbersOfEveryWidthAndKindAreShownAsWhatTheyAre() {
        Tensor half = Tensor.zeros(DType.BF16, Shape.of(1)), unsigned = Tensor.zeros(DType.U64, Shape.of(1));
        half.set(0, 1.5);
        unsigned.setLong(0, -1);
        assertEquals("bf16[1] [1.5]", half.toString());
        assertEquals("u64[1] [18446744073709551615]", unsigned.toString());
        assertEquals("c64[1] [0.0 + 0.0i]", Tensor.zeros(DType.C64, Shape.of(1)).toString());
    }

    @Test
    void ofManyElementsTheFirstAndLastAreShown() {
        Tensor t = Tensor.zeros(DType.I32, Shape.of(2, 100));
        for (int i = 0; i < 200; i++) t.setLong(i, i);
        assertEquals("i32[2, 100] [[0, 1, 2, ..., 97, 98, 99], [100, 101, 102, ..., 197, 198, 199]]", t.toString());
    }

    @Test
    void aClosedTensorSaysSo() {
        Tensor t = Tensor.of(Shape.of(1), 1f);
        t.close();
        assertEquals("f32[1] (closed)", t.toString());
    }
}
