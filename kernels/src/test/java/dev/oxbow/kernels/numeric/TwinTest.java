package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Vector kernels and the scalar ones that stand in for them until they are fast give the same bits. */
final class TwinTest {
    private final Random random = new Random(11);

    @Test
    void tiles() {
        for (int round = 0; round < 24; round++) {
            boolean wide = round % 2 == 0, add = round / 2 % 2 == 0;
            DType t = wide ? DType.F64 : DType.F32;
            int lanes = wide ? TileF64.LANES.length() : TileF32.LANES.length(), vectors = 1 + round % 3, w = t.size();
            int k = 1 + random.nextInt(70), columns = vectors * lanes, step = (columns + 3) * w;
            Tensor a = Numbers.uniform(random, t, k, 6), b = Numbers.uniform(random, t, k, columns + 3);
            Tensor c = Numbers.uniform(random, t, 6, columns + 3), d = Numbers.copy(c);
            long x = a.address(), y = b.address(), z = c.address();
            switch (vectors) {
                case 1 -> {
                    if (wide) TileF64.tile1(x, y, step, k, z, step, add);
                    else TileF32.tile1(x, y, step, k, z, step, add);
                }
                case 2 -> {
                    if (wide) TileF64.tile2(x, y, step, k, z, step, add);
                    else TileF32.tile2(x, y, step, k, z, step, add);
                }
                default -> {
                    if (wide) TileF64.tile3(x, y, step, k, z, step, add);
                    else TileF32.tile3(x, y, step, k, z, step, add);
                }
            }
            TileScalar.run(w, x, y, step, k, d.address(), step, columns, add);
            assertArrayEquals(c.bytes(), d.bytes(), t + " " + vectors + " vectors");
        }
    }

    @Test
    void smallProducts() {
        for (int round = 0; round < 100; round++) {
            int m = 1 + random.nextInt(9), n = 4 + random.nextInt(30), k = 1 + random.nextInt(20);
            boolean transposed = round % 2 == 0, add = round / 2 % 2 == 0;
            Tensor a = Numbers.uniform(random, DType.F32, m, k), b = Numbers.uniform(random, DType.F32, k, n);
            Tensor c = Numbers.uniform(random, DType.F32, m, n), d = Numbers.copy(c);
            Product p = Product.of(DType.F32, m, n, k, transposed, false).part(m, n, k, add);
            SmallF32.run(p, a.address(), b.address(), c.address());
            GemmSmall.floats(p, a.address(), b.address(), d.address(), 0);
            assertArrayEquals(c.bytes(), d.bytes(), m + "x" + n + "x" + k);
        }
    }

    @Test
    void rows() {
        for (int round = 0; round < 100; round++) {
            int n = 1 + random.nextInt(200);
            DType t = round % 2 == 0 ? DType.F32 : DType.F64;
            int w = t.size();
            Tensor x = Numbers.uniform(random, t, n), y = Numbers.uniform(random, t, n), z = Numbers.copy(y);
            RowVectors.axpy(w, 0.7, x.address(), y.address(), n);
            GemmRows.axpy(w, 0.7, x.address(), z.address(), n);
            assertArrayEquals(y.bytes(), z.bytes(), t + " " + n);
            assertEquals(
                    RowVectors.dot(w, x.address(), y.address(), n),
                    GemmRows.dot(w, RowVectors.vectorBytes() / w, x.address(), y.address(), n),
                    t + " " + n);
        }
    }
}
