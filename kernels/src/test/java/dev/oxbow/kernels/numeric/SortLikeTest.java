package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Threads;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SortLikeTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    @Test
    void topKTakesTheLowerIndexOfEqualElements() {
        Random random = new Random(51);
        for (DType t : new DType[] {
            DType.F32, DType.F64, DType.F16, DType.BF16, DType.I8, DType.U8, DType.I32, DType.I64, DType.U64
        }) {
            for (int k : new int[] {0, 1, 3, 10}) {
                Tensor x = Numbers.whole(random, t, 4, 10),
                        values = Tensor.zeros(t, Shape.of(4, k)),
                        indices = Tensor.zeros(DType.I32, Shape.of(4, k));
                TopK.run(x, values, indices, new Threads());
                for (int row = 0; row < 4; row++) {
                    int r = row;
                    List<Integer> order = IntStream.range(0, 10)
                            .boxed()
                            .sorted((a, b) -> Double.compare(x.getDouble(r * 10L + b), x.getDouble(r * 10L + a)))
                            .toList();
                    for (int j = 0; j < k; j++) {
                        assertEquals((long) order.get(j), indices.getLong(row * (long) k + j));
                        assertEquals(x.getDouble(r * 10L + order.get(j)), values.getDouble(row * (long) k + j));
                    }
                }
            }
        }
        Tensor p = Tensor.of(Shape.of(1, 4), 0.1f, 0.3f, 0.3f, 0.2f);
        assertTrue(TopK.contains(p, 0, 2, 1));
        assertFalse(TopK.contains(p, 0, 3, 2));
    }

    @Test
    void uniqueKeepsTheOrderOfFirstOccurrence() {
        Tensor x = Tensor.of(Shape.of(6), 4, -1, 4, 2, -1, 4);
        for (Unique u : List.of(Unique.ofNumbers(x), Unique.of(6, i -> x.getLong(i)))) {
            assertArrayEquals(new int[] {0, 1, 3}, u.first());
            assertArrayEquals(new int[] {0, 1, 0, 2, 1, 0}, u.index());
            assertArrayEquals(new int[] {3, 2, 1}, u.counts());
        }
        assertEquals(0, Unique.ofNumbers(Tensor.zeros(DType.I64, Shape.of(0))).first().length);
        Tensor index = Tensor.zeros(DType.I64, Shape.of(6));
        Unique.write(Unique.ofNumbers(x).index(), index);
        assertArrayEquals(new long[] {0, 1, 0, 2, 1, 0}, index.longs());
    }

    @Test
    void uniqueNumbersAreThoseOfAMap() {
        for (DType d : List.of(DType.I8, DType.U16, DType.I32, DType.U64)) {
            Tensor x = Tensor.zeros(d, Shape.of(3000));
            Random random = new Random(7);
            for (int i = 0; i < 3000; i++) x.setLong(i, random.nextInt(i % 2 == 0 ? 100 : 5000) << 12);
            Unique numbers = Unique.ofNumbers(x), objects = Unique.of(3000, i -> x.getLong(i));
            assertArrayEquals(objects.first(), numbers.first());
            assertArrayEquals(objects.index(), numbers.index());
        }
    }

    @Test
    void whereListsCoordinates() {
        Tensor x = Tensor.of(Shape.of(2, 2, 2), 0f, 1, -0f, Float.NaN, 0, 0, 2, 0),
                y = Tensor.zeros(DType.I64, Shape.of(Where.count(x), 3));
        Where.coordinates(x, y);
        assertArrayEquals(new long[] {0, 0, 1, 0, 1, 1, 1, 1, 0}, y.longs());
        assertEquals(1, Where.count(Tensor.scalar(true)));
    }

    @Test
    void countsByValueAndInterval() {
        Tensor bins = Tensor.zeros(DType.F32, Shape.of(3)), counts = Tensor.zeros(DType.I32, Shape.of(5));
        Counting.bins(Tensor.of(Shape.of(4), 0, 2, 2, 7), Tensor.of(Shape.of(4), 1f, 2, 3, 4), false, bins);
        assertArrayEquals(new float[] {1, 0, 5}, bins.floats());
        Tensor rows = Tensor.zeros(DType.I64, Shape.of(2, 3));
        Counting.bins(Tensor.of(Shape.of(2, 2), 0, 0, 1, 2), null, true, rows);
        assertArrayEquals(new long[] {1, 0, 0, 0, 1, 1}, rows.longs());
        Counting.histogram(Tensor.of(Shape.of(6), -1f, 0, 1.5f, 2, 5, 15), 0, 5, counts);
        assertArrayEquals(new int[] {2, 1, 1, 0, 2}, counts.ints()); // the example of tf.histogram_fixed_width
        assertThrows(OxbowException.class, () -> Counting.bins(Tensor.of(Shape.of(1), -1), null, false, bins));
    }
}
