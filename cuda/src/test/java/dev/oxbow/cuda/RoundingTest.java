package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cuda.Convolution.Way;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoundingTest {
    private static final float NUMBER = Float.intBitsToFloat(Rounding.BYTE * 0x01010101);

    /** Bits of a fraction that tf32 does not have. */
    private static final int LOST = 13;

    private static float cut(float x) {
        return Float.intBitsToFloat(Float.floatToIntBits(x) >> LOST << LOST);
    }

    private static float nearest(float x) {
        return cut(Float.intBitsToFloat(Float.floatToIntBits(x) + (1 << LOST - 1)));
    }

    @Test
    void productsOfRoundedOperandsAreNoticedAndTrueOnesPass() {
        assertTrue(Rounding.isTrue(NUMBER * NUMBER));
        assertTrue(Rounding.isTrue(Math.nextUp(NUMBER * NUMBER)), "sums may end in a rounding");
        assertTrue(Rounding.isTrue(0));
        for (float rounded : List.of(cut(NUMBER), nearest(NUMBER))) {
            assertFalse(Rounding.isTrue(rounded * rounded));
            assertFalse(Rounding.isTrue(rounded * NUMBER), "one operand alone");
        }
        assertFalse(Rounding.isTrue(Float.NaN));
        assertFalse(Rounding.isTrue(2 * NUMBER * NUMBER), "a result is one product");
    }

    @Test
    void theComputedTensorIsNeitherOfTheOperands() {
        Geometry g = Geometry.of(
                Shape.of(8, 14, 12, 32),
                5,
                3,
                List.of(1L, 2L, 2L, 1L),
                List.of(1L, 1L, 1L, 1L),
                "SAME",
                List.of(),
                "NHWC");
        for (Way way : Way.values()) {
            Convolution v = Convolution.of(way, DType.F32, g, false, 32, 64);
            assertTrue(v.made() != v.single(), way::toString);
            assertEquals(
                    List.of(8L * 14 * 12 * 32, 5L * 3 * 32 * 64, 8L * 7 * 6 * 64),
                    v.shapes().stream().map(Shape::size).toList());
        }
    }
}
