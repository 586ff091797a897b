package dev.oxbow.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class DigitsTest {
    private final Digits digits = Digits.load();

    @Test
    void allDigitsAreThereWithPixelsBetweenZeroAndOne() {
        assertEquals(1797, digits.size());
        int[] counts = new int[Digits.CLASSES];
        for (int label : digits.labels()) counts[label]++;
        assertArrayEquals(
                new int[] {178, 182, 177, 183, 181, 182, 181, 179, 174, 180}, counts); // as UCI publishes them
        for (float[] image : digits.images()) {
            for (float pixel : image) assertTrue(pixel >= 0 && pixel <= 1);
        }
    }

    @Test
    void aBatchHoldsTheRowsOfItsRange() {
        try (var images = digits.images(1, 4);
                var labels = digits.labels(1, 4)) {
            assertEquals(Shape.of(3, Digits.PIXELS), images.shape());
            assertArrayEquals(new int[] {1, 2, 3}, labels.ints());
            assertEquals(12 / 16f, images.floats()[3]); // the fourth pixel of the second line is 12
        }
    }

    @Test
    void shufflingDependsOnTheSeedOnlyAndKeepsImagesWithTheirLabels() {
        Digits a = digits.shuffled(1), b = digits.shuffled(1), c = digits.shuffled(2);
        assertArrayEquals(a.labels(), b.labels());
        assertFalse(Arrays.equals(a.labels(), c.labels()));
        int at = Arrays.asList(a.images()).indexOf(digits.images()[7]);
        assertEquals(digits.labels()[7], a.labels()[at]);
    }
}
