package dev.oxbow.kernels.move;

import static dev.oxbow.kernels.move.Coordinates.WIDTHS;
import static dev.oxbow.kernels.move.Coordinates.blank;
import static dev.oxbow.kernels.move.Coordinates.check;
import static dev.oxbow.kernels.move.Coordinates.iota;
import static dev.oxbow.kernels.move.Coordinates.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class MoverTest {
    private static final Parallel[] WAYS = {Parallel.SERIAL, new Threads()};

    @Test
    void transposeMovesEveryElementForAnyPermutation() {
        Random random = new Random(1);
        for (int round = 0; round < 120; round++) {
            int rank = random.nextInt(5);
            long[] dims = dims(random, rank, round % 10 == 0 ? 40 : 6), out = new long[rank];
            List<Integer> order = new ArrayList<>();
            for (int d = 0; d < rank; d++) order.add(d);
            Collections.shuffle(order, random);
            int[] p = order.stream().mapToInt(Integer::intValue).toArray();
            for (int d = 0; d < rank; d++) out[d] = dims[p[d]];
            DType t = WIDTHS[round % WIDTHS.length];
            Tensor x = iota(t, dims), y = blank(t, out);
            Transpose.run(x, p, y, WAYS[round % 2]);
            check(
                    y,
                    at -> {
                        long[] from = new long[rank];
                        for (int d = 0; d < rank; d++) from[p[d]] = at[d];
                        return value(dims, from);
                    },
                    "round " + round);
        }
    }

    @Test
    @Timeout(300)
    void transposesOfNothingTakeNoTimeHoweverLongTheOtherSideIs() {
        long many = 1L << 40;
        for (long[] dims : new long[][] {{many, 0}, {0, many}}) {
            Tensor x = Tensor.zeros(DType.F32, Shape.of(dims)), y = Tensor.zeros(DType.F32, Shape.of(dims[1], dims[0]));
            Transpose.run(x, new int[] {1, 0}, y, Parallel.SERIAL);
        }
    }

    @Test
    void concatAndSplitAreInverse() {
        for (DType t : WIDTHS) {
            for (int axis = 0; axis < 3; axis++) {
                long[] dims = {3, 4, 5};
                Tensor x = iota(t, dims);
                List<Tensor> parts = new ArrayList<>();
                for (long n : new long[] {1, 0, dims[axis] - 1}) parts.add(blank(t, with(dims, axis, n)));
                Concat.split(x, axis, parts, Parallel.SERIAL);
                Tensor y = blank(t, dims);
                Concat.join(parts, axis, y, new Threads());
                check(y, at -> value(dims, at), "axis " + axis);
                int a = axis;
                check(parts.get(2), at -> value(dims, with(at, a, at[a] + 1)), "last part");
            }
        }
    }

    @Test
    void packAndUnpackAreInverse() {
        for (int axis = 0; axis <= 2; axis++) {
            List<Tensor> xs =
                    List.of(iota(DType.I32, 2, 3), iota(DType.I32, 2, 3), iota(DType.I32, 2, 3), iota(DType.I32, 2, 3));
            long[] dims = axis == 0 ? new long[] {4, 2, 3} : axis == 1 ? new long[] {2, 4, 3} : new long[] {2, 3, 4};
            Tensor y = blank(DType.I32, dims);
            Concat.pack(xs, axis, y, Parallel.SERIAL);
            int a = axis;
            check(y, at -> value(new long[] {2, 3}, a == 0 ? at[1] : at[0], a == 2 ? at[1] : at[2]), "axis " + axis);
            List<Tensor> back = List.of(
                    blank(DType.I32, 2, 3), blank(DType.I32, 2, 3), blank(DType.I32, 2, 3), blank(DType.I32, 2, 3));
            Concat.unpack(y, axis, back, Parallel.SERIAL);
            for (Tensor b : back) check(b, at -> value(new long[] {2, 3}, at), "unpack");
        }
    }

    @Test
    void stridedSlicesAreReadAndWrittenWithStepsOfBothSigns() {
        for (DType t : WIDTHS) {
            long[] dims = {7, 4, 9}, begin = {6, 0, 1}, step = {-2, 1, 3}, size = {4, 3, 3};
            Tensor x = iota(t, dims), y = blank(t, size), z = blank(t, dims);
            Slice.read(x, begin, step, size, y, Parallel.SERIAL);
            check(y, at -> value(dims, 6 - 2 * at[0], at[1], 1 + 3 * at[2]), "read");
            Slice.write(y, z, begin, step, size, Parallel.SERIAL);
            check(z, at -> at[0] % 2 == 0 && at[1] < 3 && at[2] % 3 == 1 ? value(dims, at) : 77, "write");
            Slice.broadcastInto(iota(t, 1), new long[] {1}, z, begin, step, size, Parallel.SERIAL);
            check(z, at -> at[0] % 2 == 0 && at[1] < 3 && at[2] % 3 == 1 ? 1 : 77, "broadcast");
        }
    }

    @Test
    void padsWithConstantsAndMirrors() {
        for (DType t : WIDTHS) {
            long[] dims = {3, 4}, before = {1, 2}, out = {6, 9};
            Tensor x = iota(t, dims), y = blank(t, out);
            Pad.constant(x, before, iota(t), y, Parallel.SERIAL);
            check(
                    y,
                    at -> inside(at[0] - 1, 3) && inside(at[1] - 2, 4) ? value(dims, at[0] - 1, at[1] - 2) : 1,
                    "constant");
            for (int offset = 0; offset <= 1; offset++) {
                int o = offset;
                Pad.mirror(x, before, o, y, new Threads());
                check(y, at -> value(dims, mirror(at[0] - 1, 3, o), mirror(at[1] - 2, 4, o)), "mirror " + o);
            }
        }
    }

    @Test
    void mirrorGradientSumsWhatEachElementWasCopiedTo() {
        long[] dims = {3, 4, 2}, before = {1, 2, 1}, out = {6, 9, 4};
        for (int offset = 0; offset <= 1; offset++) {
            Tensor dy = Tensor.allocate(DType.F64, Shape.of(out)), dx = Tensor.allocate(DType.F64, Shape.of(dims));
            double[] expected = new double[24];
            for (int i = 0; i < dy.size(); i++) {
                dy.set(i, i * i);
                long[] at = Coordinates.at(out, i);
                long[] from = {mirror(at[0] - 1, 3, offset), mirror(at[1] - 2, 4, offset), mirror(at[2] - 1, 2, offset)
                };
                expected[(int) value(dims, from) - 1] += i * i;
            }
            Pad.mirrorGradient(dy, before, offset, dx, MemoryPool.shared(), Parallel.SERIAL);
            assertArrayEquals(expected, dx.doubles());
        }
    }

    @Test
    void repeatsReversesAndRolls() {
        for (DType t : WIDTHS) {
            long[] dims = {2, 1, 5};
            Tensor x = iota(t, dims), y = blank(t, 3, 2, 4, 5);
            Broadcast.run(x, y, new Threads());
            check(y, at -> value(dims, at[1], 0, at[3]), "broadcast");
            Tensor tiled = blank(t, 4, 3, 10);
            Broadcast.tile(x, new long[] {2, 3, 2}, tiled, Parallel.SERIAL);
            check(tiled, at -> value(dims, at[0] % 2, 0, at[2] % 5), "tile");
            Tensor reversed = blank(t, dims);
            Reverse.run(x, new boolean[] {true, false, true}, reversed, Parallel.SERIAL);
            check(reversed, at -> value(dims, 1 - at[0], 0, 4 - at[2]), "reverse");
            Reverse.roll(x, new long[] {-1, 9, 7}, reversed, Parallel.SERIAL);
            check(reversed, at -> value(dims, Math.floorMod(at[0] + 1, 2), 0, Math.floorMod(at[2] - 7, 5)), "roll");
            Reverse.sequences(x, Tensor.of(Shape.of(2), 3, 5), 2, 0, reversed, Parallel.SERIAL);
            check(
                    reversed,
                    at -> value(dims, at[0], 0, at[2] < (at[0] == 0 ? 3 : 5) ? (at[0] == 0 ? 2 : 4) - at[2] : at[2]),
                    "sequences");
        }
        for (int n : new int[] {0, 1, 15, 16, 17, 63, 64, 65, 100_000}) {
            for (DType t : WIDTHS) {
                Tensor y = blank(t, n);
                Broadcast.fill(iota(t), y, new Threads());
                check(y, at -> 1, "fill " + n);
            }
        }
    }

    @Test
    void blocksMoveBetweenSpaceBatchAndDepth() {
        for (DType t : WIDTHS) {
            long[] dims = {2, 4, 6, 3}, block = {2, 3}, before = {1, 2};
            Tensor x = iota(t, dims), y = blank(t, 12, 3, 3, 3), z = blank(t, dims);
            if (t != DType.STRING) {
                Blocks.spaceToBatch(x, block, before, y, Parallel.SERIAL);
                check(
                        y,
                        at -> {
                            long o = at[0] / 2, h = at[1] * 2 + o / 3 - 1, w = at[2] * 3 + o % 3 - 2;
                            return inside(h, 4) && inside(w, 6) ? value(dims, at[0] % 2, h, w, at[3]) : 0;
                        },
                        "spaceToBatch");
                Blocks.batchToSpace(y, block, before, z, Parallel.SERIAL);
                check(z, at -> value(dims, at), "batchToSpace");
            }
            Tensor deep = blank(t, 2, 2, 3, 12);
            Blocks.spaceToDepth(x, 2, false, deep, Parallel.SERIAL);
            check(
                    deep,
                    at -> value(dims, at[0], at[1] * 2 + at[3] / 6, at[2] * 2 + at[3] / 3 % 2, at[3] % 3),
                    "spaceToDepth");
            Blocks.depthToSpace(deep, 2, false, z, Parallel.SERIAL);
            check(z, at -> value(dims, at), "depthToSpace");
            long[] first = {2, 3, 4, 6};
            Tensor xf = iota(t, first), df = blank(t, 2, 12, 2, 3), zf = blank(t, first);
            Blocks.spaceToDepth(xf, 2, true, df, Parallel.SERIAL);
            check(
                    df,
                    at -> value(first, at[0], at[1] % 3, at[2] * 2 + at[1] / 6, at[3] * 2 + at[1] / 3 % 2),
                    "spaceToDepth NCHW");
            Blocks.depthToSpace(df, 2, true, zf, Parallel.SERIAL);
            check(zf, at -> value(first, at), "depthToSpace NCHW");
        }
    }

    @Test
    void diagonalsLieWhereTheirAlignmentSays() {
        Tensor x = iota(DType.I32, 1, 3, 4), y = blank(DType.I32, 1, 4, 3);
        Diagonals.part(x, Diagonals.Band.of(-1, 2, "RIGHT_LEFT"), Tensor.scalar(0), y, Parallel.SERIAL);
        // Rows 3x4 of 1..12: superdiagonals right-aligned, the subdiagonal left-aligned.
        assertArrayEquals(new int[] {0, 3, 8, 2, 7, 12, 1, 6, 11, 5, 10, 0}, y.ints());
        Tensor z = blank(DType.I32, 1, 3, 4);
        Diagonals.make(y, Diagonals.Band.of(-1, 2, "RIGHT_LEFT"), Tensor.scalar(0), z, Parallel.SERIAL);
        assertArrayEquals(new int[] {1, 2, 3, 0, 5, 6, 7, 8, 0, 10, 11, 12}, z.ints());
        Diagonals.bandPart(x, 0, 1, z, Parallel.SERIAL);
        assertArrayEquals(new int[] {1, 2, 0, 0, 0, 6, 7, 0, 0, 0, 11, 12}, z.ints());
        Diagonals.set(x, iota(DType.I32, 1, 3), Diagonals.Band.MAIN, z, Parallel.SERIAL);
        assertArrayEquals(new int[] {1, 2, 3, 4, 5, 2, 7, 8, 9, 10, 3, 12}, z.ints());
        Tensor d = blank(DType.I32, 2, 2), back = blank(DType.I32, 2);
        Diagonals.embed(iota(DType.I32, 2), d);
        assertArrayEquals(new int[] {1, 0, 0, 2}, d.ints());
        Diagonals.extract(d, back);
        assertArrayEquals(new int[] {1, 2}, back.ints());
    }

    private static boolean inside(long i, long n) {
        return i >= 0 && i < n;
    }

    private static long mirror(long i, long n, int offset) {
        if (i < 0) return -i - 1 + offset;
        return i < n ? i : 2 * n - 1 - offset - i;
    }

    private static long[] with(long[] dims, int d, long n) {
        long[] copy = dims.clone();
        copy[d] = n;
        return copy;
    }

    private static long[] dims(Random random, int rank, int limit) {
        long[] dims = new long[rank];
        for (int d = 0; d < rank; d++) dims[d] = random.nextInt(limit) + (random.nextInt(30) == 0 ? 0 : 1);
        return dims;
    }
}
