package dev.oxbow.testing.conformance;

import static dev.oxbow.testing.conformance.Tolerance.BITS;
import static dev.oxbow.testing.conformance.Tolerance.DECIMALS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ToleranceTest {

    @ParameterizedTest
    @CsvSource({
        "BITS, F32, 1, 1.00019, 1.00021",
        "BITS, F64, 1, 1.00000019, 1.00000021",
        "BITS, F16, 1, 1.019, 1.022",
        "BITS, BF16, 1, 1.039, 1.05",
        "DECIMALS, F32, 1, 1.001, 1.0011",
        "DECIMALS, F64, 0, 0.0000099, 0.000011"
    })
    void aFloatMayBeOffByTheToleranceOfItsDtype(
            Tolerance tolerance, DType dtype, double wanted, double near, double far) {
        assertNull(tolerance.difference(Answer.of(of(dtype, wanted)), of(dtype, near)));
        assertNotNull(tolerance.difference(Answer.of(of(dtype, wanted)), of(dtype, far)));
    }

    @Test
    void complexNumbersAreComparedByTheirDistance() {
        Tensor wanted = complex(3, 4), near = complex(3.0004f, 4.0004f), far = complex(3.0005f, 4.0005f);
        assertNull(BITS.difference(Answer.of(wanted), near)); // 5.66e-4 away, and 1e-4 + 1e-4 * 5 allowed
        assertEquals(
                "1 of 1 elements of c64[1] differ; element 0 is (3.000499963760376, 4.000500202178955), wanted (3.0, 4.0)",
                BITS.difference(Answer.of(wanted), far));
        assertNull(BITS.difference(Answer.of(complex(Float.NaN, 1)), complex(2, Float.NaN)));
        assertNotNull(BITS.difference(Answer.of(complex(Float.NaN, 1)), complex(2, 1)));
    }

    @Test
    void nanEqualsNanAndInfinitiesKeepTheirSign() {
        Shape two = Shape.of(2);
        Tensor wanted = Tensor.of(two, Float.NaN, Float.POSITIVE_INFINITY);
        assertNull(BITS.difference(Answer.of(wanted), Tensor.of(two, Float.NaN, Float.POSITIVE_INFINITY)));
        assertEquals(
                "2 of 2 elements of f32[2] differ; element 0 is 0.0, wanted NaN",
                BITS.difference(Answer.of(wanted), Tensor.of(two, 0f, Float.NEGATIVE_INFINITY)));
        assertNotNull(BITS.difference(Answer.of(Tensor.scalar(1f)), Tensor.scalar(Float.NaN)));
    }

    @Test
    void integersStringsAndBoolsMustBeEqual() {
        assertEquals(
                "1 of 1 elements of i64[] differ; element 0 is 1000001, wanted 1000000",
                DECIMALS.difference(Answer.of(Tensor.scalar(1_000_000L)), Tensor.scalar(1_000_001L)));
        assertEquals(
                "1 of 1 elements of string[] differ; element 0 is 'b', wanted 'a'",
                BITS.difference(Answer.of(Tensor.scalar("a")), Tensor.scalar("b")));
        assertEquals(
                "1 of 1 elements of bool[] differ; element 0 is false, wanted true",
                BITS.difference(Answer.of(Tensor.scalar(true)), Tensor.scalar(false)));
    }

    @Test
    void dtypeAndShapeMustBeEqualEvenWithoutElements() {
        Tensor empty = Tensor.of(Shape.of(0, 3), new float[0]);
        assertNull(BITS.difference(Answer.of(empty), Tensor.of(Shape.of(0, 3), new float[0])));
        assertEquals(
                "shape is f32[0,2], wanted f32[0,3]",
                BITS.difference(Answer.of(empty), Tensor.of(Shape.of(0, 2), new float[0])));
        assertEquals(
                "dtype is i32[0,3], wanted f32[0,3]",
                BITS.difference(Answer.of(empty), Tensor.of(Shape.of(0, 3), new int[0])));
    }

    @Test
    void handlesAreComparedByTypeOnly() {
        Tensor handle = Tensor.ofObjects(DType.RESOURCE, Shape.SCALAR, new Object());
        assertNull(BITS.difference(new Answer(DType.RESOURCE, Shape.SCALAR, null), handle));
    }

    private static Tensor of(DType dtype, double value) {
        Tensor t = Tensor.allocate(dtype, Shape.SCALAR);
        t.set(0, value);
        return t;
    }

    private static Tensor complex(float re, float im) {
        Tensor t = Tensor.allocate(DType.C64, Shape.of(1));
        Memory.putFloat(t.address(), re);
        Memory.putFloat(t.address() + 4, im);
        return t;
    }
}
