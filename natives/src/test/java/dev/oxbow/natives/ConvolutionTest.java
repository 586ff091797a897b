package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.NativeLibrary.ConvolutionShape;
import dev.oxbow.kernels.NativeLibrary.Direction;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.numeric.Conv;
import dev.oxbow.kernels.numeric.Padding;
import dev.oxbow.kernels.numeric.Window;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Convolutions of f32 images beside the same ones of f64 images, which no native library computes. */
final class ConvolutionTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    @Test
    void oneDnnHasFastKernelsForTheUsualShapes() {
        List<Long> ones = List.of(1L, 1L, 1L);
        ConvolutionShape shape = new ConvolutionShape(
                4,
                32,
                64,
                1,
                List.of(1L, 14L, 14L),
                List.of(1L, 5L, 5L),
                ones,
                ones,
                List.of(0L, 2L, 2L),
                List.of(1L, 14L, 14L),
                false);
        for (Direction d : Direction.values()) {
            assertTrue(
                    NativeLibrary.installed()
                            .orElseThrow()
                            .convolution(shape, d)
                            .isPresent(),
                    d.name());
        }
    }

    @Test
    void imagesPaddedBeforehandHaveTheSameConvolution() {
        List<Long> ones = List.of(1L, 1L, 1L);
        ConvolutionShape shape = new ConvolutionShape(
                2,
                3,
                64,
                1,
                List.of(1L, 9L, 11L),
                List.of(1L, 5L, 4L),
                ones,
                ones,
                List.of(0L, 2L, 1L),
                List.of(1L, 9L, 11L),
                false);
        try (Arena arena = Arena.ofConfined()) {
            Random random = new Random(5);
            MemorySegment x = arena.allocate(4L * 2 * 9 * 11 * 3, 64), w = arena.allocate(4L * 5 * 4 * 3 * 64, 64);
            for (MemorySegment s : List.of(x, w))
                for (long at = 0; at < s.byteSize(); at += 4)
                    s.set(ValueLayout.JAVA_FLOAT, at, random.nextFloat() - 0.5f);
            float[] expected = run(DnnConvolution.output(shape), x, w, arena);
            assertArrayEquals(expected, run(new PaddedConvolution(shape), x, w, arena), 1e-5f);
        }
    }

    private static float[] run(NativeLibrary.Convolution c, MemorySegment x, MemorySegment w, Arena arena) {
        OneDnn.useOneThread();
        MemorySegment y = arena.allocate(4L * 2 * 9 * 11 * 64, 64);
        MemorySegment packed = arena.allocate(c.packedFilterBytes(), 64),
                scratch = arena.allocate(c.scratchBytes(), 64);
        scratch.fill((byte) 0x7f);
        c.packFilter(w.address(), packed.address());
        c.run(x.address(), packed.address(), y.address(), scratch.address());
        return y.toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void allGeometriesMatch() {
        for (boolean channelsFirst : new boolean[] {false, true}) {
            check(
                    channelsFirst,
                    4,
                    3,
                    8,
                    1,
                    new long[] {12, 13},
                    new long[] {5, 5},
                    new long[] {1, 1},
                    new long[] {1, 1},
                    true);
            check(
                    channelsFirst,
                    5,
                    16,
                    32,
                    1,
                    new long[] {9, 9},
                    new long[] {3, 3},
                    new long[] {2, 1},
                    new long[] {1, 1},
                    true);
            check(
                    channelsFirst,
                    7,
                    6,
                    10,
                    1,
                    new long[] {14, 11},
                    new long[] {3, 2},
                    new long[] {3, 2},
                    new long[] {1, 1},
                    false);
            check(
                    channelsFirst,
                    3,
                    8,
                    16,
                    1,
                    new long[] {15, 16},
                    new long[] {3, 3},
                    new long[] {1, 1},
                    new long[] {2, 3},
                    true);
            check(
                    channelsFirst,
                    4,
                    16,
                    32,
                    4,
                    new long[] {8, 8},
                    new long[] {3, 3},
                    new long[] {1, 1},
                    new long[] {1, 1},
                    true);
            check(
                    channelsFirst,
                    2,
                    4,
                    8,
                    1,
                    new long[] {6, 7, 8},
                    new long[] {3, 3, 3},
                    new long[] {1, 2, 1},
                    new long[] {1, 1, 1},
                    true);
            check(channelsFirst, 6, 4, 8, 1, new long[] {400}, new long[] {9}, new long[] {1}, new long[] {1}, true);
            check(
                    channelsFirst,
                    3,
                    16,
                    16,
                    1,
                    new long[] {20, 20},
                    new long[] {1, 1},
                    new long[] {2, 2},
                    new long[] {1, 1},
                    false);
        }
    }

    @Test
    void raggedBatchesMatch() {
        check(false, 19, 8, 16, 1, new long[] {28, 28}, new long[] {5, 5}, new long[] {1, 1}, new long[] {1, 1}, true);
        check(true, 37, 16, 24, 1, new long[] {14, 14}, new long[] {3, 3}, new long[] {1, 1}, new long[] {1, 1}, true);
    }

    private static void check(
            boolean channelsFirst,
            long batch,
            long channels,
            long outputs,
            long groups,
            long[] in,
            long[] kernel,
            long[] stride,
            long[] dilation,
            boolean same) {
        int rank = in.length;
        long[] xDims = new long[rank + 2], fDims = new long[rank + 2];
        xDims[0] = batch;
        xDims[channelsFirst ? 1 : rank + 1] = channels;
        for (int d = 0; d < rank; d++) xDims[d + (channelsFirst ? 2 : 1)] = in[d];
        System.arraycopy(kernel, 0, fDims, 0, rank);
        fDims[rank] = channels / groups;
        fDims[rank + 1] = outputs;
        Window w = Window.of(
                Shape.of(xDims), channelsFirst, kernel, stride, dilation, same ? Padding.SAME : Padding.VALID);
        Random random = new Random(5);
        Tensor x = ProductTest.uniform(random, DType.F32, xDims), f = ProductTest.uniform(random, DType.F32, fDims);
        Tensor dy = ProductTest.uniform(random, DType.F32, w.output(outputs).dims());
        Tensor[] serial = all(x, f, dy, w, Parallel.SERIAL), threads = all(x, f, dy, w, new EachAlone());
        Tensor[] expected = all(wide(x), wide(f), wide(dy), w, Parallel.SERIAL);
        String what = w.output(outputs) + " of " + Shape.of(xDims);
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(serial[i].bytes(), threads[i].bytes(), what);
            double most = 0;
            for (long e = 0; e < expected[i].size(); e++) most = Math.max(most, Math.abs(expected[i].getDouble(e)));
            for (long e = 0; e < expected[i].size(); e++)
                assertEquals(expected[i].getDouble(e), serial[i].getDouble(e), 2e-6 * (1 + most), what + " " + i);
        }
    }

    /** The output and both gradients. */
    private static Tensor[] all(Tensor x, Tensor f, Tensor dy, Window w, Parallel parallel) {
        Tensor y = Tensor.allocate(x.dtype(), dy.shape()), dx = Tensor.allocate(x.dtype(), x.shape());
        Tensor df = Tensor.allocate(x.dtype(), f.shape());
        Conv.forward(x, f, w, y, POOL, parallel);
        Conv.inputGradient(f, dy, w, dx, POOL, parallel);
        Conv.filterGradient(x, dy, w, df, POOL, parallel);
        return new Tensor[] {y, dx, df};
    }

    private static Tensor wide(Tensor x) {
        Tensor y = Tensor.allocate(DType.F64, x.shape());
        for (long i = 0; i < x.size(); i++) y.set(i, x.getDouble(i));
        return y;
    }
}
