package dev.oxbow.kernels.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ColoursTest {
    @Test
    void contrastMovesEachChannelAwayFromItsMean() {
        try (Tensor x = Tensor.of(Shape.of(1, 2, 2, 1), 1f, 2f, 3f, 6f);
                Tensor y = Tensor.zeros(DType.F32, x.shape())) {
            Colours.contrast(x, 2, y, Parallel.SERIAL);
            assertArrayEquals(new float[] {-1, 1, 3, 9}, y.floats());
        }
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void imagesWithoutPixelsAreNotCounted() {
        Shape many = Shape.of(1L << 40, 0, 2, 3);
        try (Tensor x = Tensor.zeros(DType.F32, many);
                Tensor y = Tensor.zeros(DType.F32, many)) {
            Colours.contrast(x, 2, y, Parallel.SERIAL);
        }
    }
}
