package dev.oxbow.kernels.move;

import static dev.oxbow.kernels.move.Coordinates.blank;
import static dev.oxbow.kernels.move.Coordinates.check;
import static dev.oxbow.kernels.move.Coordinates.iota;
import static dev.oxbow.kernels.move.Coordinates.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.kernels.Kept;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class IndexedTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    @Test
    void gathersAlongAnAxisWithBatchDimensions() {
        for (DType t : Coordinates.WIDTHS) {
            long[] dims = {2, 3, 4, 2};
            Tensor x = iota(t, dims), indices = Tensor.of(Shape.of(2, 3), 3, 0, 1, 2, 2, 0), y = blank(t, 2, 3, 3, 2);
            Gather.run(x, indices, 2, 1, y, new Threads());
            check(y, at -> value(dims, at[0], at[1], indices.getLong(at[0] * 3 + at[2]), at[3]), "gather");
            Tensor z = blank(t, 2, 2, 3, 4, 2);
            Gather.run(x, Tensor.of(Shape.of(2, 2), 1L, 0L, 0L, 1L), 0, 0, z, Parallel.SERIAL);
            check(z, at -> value(dims, at[0] == at[1] ? 1 : 0, at[2], at[3], at[4]), "gather 0");
        }
    }

    @Test
    void anIndexOutOfBoundsIsNamedWithItsPosition() {
        Tensor y = blank(DType.I32, 3);
        var e = assertThrows(
                OxbowException.class,
                () -> Gather.run(iota(DType.I32, 5), Tensor.of(Shape.of(3), 1, 2, 7), 0, 0, y, Parallel.SERIAL));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals("indices[2] = 7 is not in [0, 5)", e.getMessage());
        e = assertThrows(
                OxbowException.class,
                () -> Gather.nd(
                        iota(DType.I32, 5, 2),
                        Tensor.of(Shape.of(1, 2), 1, -1),
                        0,
                        blank(DType.I32, 1),
                        Parallel.SERIAL));
        assertEquals("indices[0] = [1, -1] does not index into param shape [5,2]", e.getMessage());
        e = assertThrows(
                OxbowException.class,
                () -> Scatter.rows(
                        iota(DType.I32, 5),
                        Tensor.of(Shape.of(1, 1), -3),
                        iota(DType.I32, 1, 1),
                        Combine.ADD,
                        POOL,
                        Parallel.SERIAL));
        assertEquals("indices[0,0] = -3 is not in [0, 5)", e.getMessage());
    }

    @Test
    void gathersByCoordinates() {
        for (DType t : Coordinates.WIDTHS) {
            long[] dims = {2, 3, 4};
            Tensor x = iota(t, dims);
            Tensor y = blank(t, 2, 4), all = blank(t, 3, 2, 3, 4), batched = blank(t, 2, 1);
            Gather.nd(x, Tensor.of(Shape.of(2, 2), 1, 0, 0, 2), 0, y, Parallel.SERIAL);
            check(y, at -> at[0] == 0 ? value(dims, 1, 0, at[1]) : value(dims, 0, 2, at[1]), "nd");
            Gather.nd(x, Tensor.allocate(DType.I32, Shape.of(3, 0)), 0, all, Parallel.SERIAL);
            check(all, at -> value(dims, at[1], at[2], at[3]), "depth 0");
            Gather.nd(x, Tensor.of(Shape.of(2, 1, 2), 2, 3, 1, 0), 1, batched, Parallel.SERIAL);
            check(batched, at -> at[0] == 0 ? value(dims, 0, 2, 3) : value(dims, 1, 1, 0), "batch");
        }
    }

    @Test
    void scattersCombineInOrderForEveryDtype() {
        DType[] types = {
            DType.F32,
            DType.F64,
            DType.F16,
            DType.BF16,
            DType.I8,
            DType.U8,
            DType.I16,
            DType.U16,
            DType.I32,
            DType.U32,
            DType.I64,
            DType.U64
        };
        double[][] expected = {{5, 4, 3}, {19, 10, 6}, {1, 2, 0}, {90, 24, 9}, {0.4, 1.5, 1}, {2, 4, 3}, {10, 6, 3}};
        for (DType t : types) {
            for (Combine op : Combine.values()) {
                if (op == Combine.SUB && t.isUnsigned()) continue;
                Tensor y = Tensor.allocate(t, Shape.of(3));
                double[] start = {op == Combine.SUB ? 10 : op == Combine.DIV ? 4 : 9, 6, 3};
                for (int i = 0; i < 3; i++) y.set(i, start[i]);
                Tensor updates = Tensor.allocate(t, Shape.of(4));
                double[] u = op == Combine.MUL || op == Combine.DIV
                        ? new double[] {2, 4, 5, 3}
                        : op == Combine.MAX
                                ? new double[] {2, 4, 10, 3}
                                : op == Combine.MIN ? new double[] {2, 4, 5, 3} : new double[] {5, 4, 5, 3};
                if (op == Combine.SUB) u[0] = 4;
                for (int i = 0; i < 4; i++) updates.set(i, u[i]);
                Scatter.nd(y, Tensor.of(Shape.of(4, 1), 0, 1, 0, 2), updates, op, POOL, Parallel.SERIAL);
                for (int i = 0; i < 3; i++) {
                    double want = expected[op.ordinal()][i];
                    if (op == Combine.UPDATE) want = new double[] {5, 4, 3}[i];
                    if (t.isInteger()) want = Math.floor(want);
                    assertEquals(want, y.getDouble(i), t == DType.BF16 ? 0.01 : 1e-3, op + " " + t + " " + i);
                }
            }
        }
        Tensor s = Tensor.of(Shape.of(2), "a", "b");
        Scatter.nd(
                s,
                Tensor.of(Shape.of(2, 1), 1, 1),
                Tensor.of(Shape.of(2), "x", "y"),
                Combine.ADD,
                POOL,
                Parallel.SERIAL);
        assertEquals(List.of("a", "bxy"), s.strings());
        Tensor rows = iota(DType.I32, 3, 2);
        Scatter.rows(rows, Tensor.of(Shape.of(2), 2, 0), Tensor.scalar(10), Combine.ADD, POOL, Parallel.SERIAL);
        assertArrayEquals(new int[] {11, 12, 3, 4, 15, 16}, rows.ints());
        Tensor c = iota(DType.C128, 2);
        Scatter.rows(c, Tensor.of(Shape.of(1), 1), iota(DType.C128, 1), Combine.MUL, POOL, Parallel.SERIAL);
        assertEquals(0, c.segment().get(Memory.DOUBLE, 16)); // (2 - 2i)(1 - i) = -4i
        assertEquals(-4, c.segment().get(Memory.DOUBLE, 24));
    }

    @Test
    void oneHotIgnoresIndicesOutsideTheDepth() {
        Tensor y = blank(DType.I32, 2, 3, 2);
        Tensor indices = Tensor.of(Shape.of(2, 2), 0, 2, -1, 3);
        OneHot.run(indices, 1, Tensor.scalar(5), Tensor.scalar(-1), y, Parallel.SERIAL);
        check(y, at -> indices.getLong(at[0] * 2 + at[2]) == at[1] ? 5 : -1, "one hot");
    }

    /** Enough work for many groups, few enough rows that all of them repeat. */
    @Test
    void threadsScatterAsOneDoes() {
        Random random = new Random(5);
        int n = 20_000, inner = 20;
        for (long rows : new long[] {1, 3, 700}) {
            Tensor indices = Tensor.zeros(DType.I64, Shape.of(n)),
                    updates = Tensor.zeros(DType.F32, Shape.of(n, inner));
            for (int i = 0; i < n; i++) indices.setLong(i, random.nextInt((int) rows));
            for (long i = 0; i < updates.size(); i++) updates.set(i, random.nextFloat() - 0.5);
            float[] expected = new float[(int) rows * inner], u = updates.floats();
            for (int i = 0; i < n; i++)
                for (int j = 0; j < inner; j++) expected[(int) indices.getLong(i) * inner + j] += u[i * inner + j];
            Tensor y = Tensor.zeros(DType.F32, Shape.of(rows, inner)), z = Tensor.zeros(DType.F32, y.shape());
            Scatter.rows(y, indices, updates, Combine.ADD, POOL, new Threads());
            assertArrayEquals(expected, y.floats());
            Scatter.nd(z, indices.reshaped(Shape.of(n, 1)), updates, Combine.ADD, POOL, new Threads());
            assertArrayEquals(expected, z.floats());
        }
    }

    @Test
    void vectorsAndScalarsGiveTheSameBits() {
        Random random = new Random(6);
        Tensor a = Tensor.zeros(DType.F32, Shape.of(64)), b = Tensor.zeros(DType.F32, a.shape());
        for (int i = 0; i < 64; i++) {
            a.set(i, random.nextGaussian());
            b.set(i, random.nextGaussian());
        }
        Tensor y = Tensor.of(a.shape(), a.floats()), z = Tensor.of(a.shape(), a.floats());
        RowsF32.Vectors.add(y.address(), b.address(), 64);
        RowsF32.Vectors.multiplyAdd(y.address(), a.address(), b.address(), 64);
        for (int i = 0; i < 64; i++) { // one at a time never fills a vector
            RowsF32.add(z.address() + 4 * i, b.address() + 4 * i, 1);
            RowsF32.multiplyAdd(z.address() + 4 * i, a.address() + 4 * i, b.address() + 4 * i, 1);
        }
        assertArrayEquals(z.floats(), y.floats());
    }

    @Test
    void vectorLoopsOverListedRowsGiveTheBitsOfOneRowAtATime() {
        Random random = new Random(7);
        for (DType numbers : new DType[] {DType.I32, DType.I64}) {
            for (int width : new int[] {1, 16, 32, 33, 48, 64}) {
                int n = 6000, rows = 300;
                Tensor list = Kept.keep(Tensor.zeros(numbers, Shape.of(n))),
                        x = Kept.keep(Tensor.zeros(DType.F32, Shape.of(n, width)));
                for (int i = 0; i < n; i++) list.setLong(i, random.nextInt(rows));
                for (long i = 0; i < x.size(); i++) x.set(i, random.nextGaussian());
                for (boolean adds : new boolean[] {true, false}) {
                    float[] expected = new float[rows * width], updates = x.floats();
                    for (int i = 0; i < n; i++)
                        for (int j = 0; j < width; j++) {
                            int at = (int) list.getLong(i) * width + j;
                            float u = updates[i * width + j];
                            expected[at] = adds ? expected[at] + u : expected[at] - u;
                        }
                    for (int threads : new int[] {1, 2, 3}) {
                        Tensor y = Tensor.zeros(DType.F32, Shape.of(rows, width));
                        RowLists.combine(adds, y, list, width, x.address(), POOL, new Owners(threads));
                        assertArrayEquals(expected, y.floats());
                    }
                }
                Tensor y = Kept.keep(Tensor.zeros(DType.F32, Shape.of(rows, width))),
                        back = Tensor.zeros(DType.F32, x.shape());
                for (long i = 0; i < y.size(); i++) y.set(i, i);
                RowLists.gather(y.address(), list, 0, n, 4L * width, back.address());
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < width; j++)
                        assertEquals(list.getLong(i) * width + j, back.getDouble((long) i * width + j));
            }
        }
    }

    /** Ranges on several threads, as many as it says. */
    private record Owners(int threads) implements Parallel {
        @Override
        public void run(long n, long grain, Range task) {
            new Threads().run(n, grain, task);
        }
    }
}
