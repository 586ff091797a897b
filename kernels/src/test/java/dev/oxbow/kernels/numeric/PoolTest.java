package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.Kept;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.kernels.move.Transpose;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PoolTest {
    private static final MemoryPool POOL = MemoryPool.shared();
    private static final long[] ONES = {1, 1, 1};

    @Test
    void poolsMatchTheDefinition() {
        Random random = new Random(21);
        DType[] types = {DType.F32, DType.F64, DType.F16, DType.BF16, DType.I32, DType.I64, DType.U8, DType.I8};
        for (int round = 0; round < 32; round++) {
            DType t = types[round % types.length];
            int rank = 2 + round / 8 % 2;
            long[] dims = new long[rank + 2], kernel = new long[rank], stride = new long[rank];
            dims[0] = 2;
            dims[rank + 1] = 3;
            for (int d = 0; d < rank; d++) {
                dims[d + 1] = 4 + random.nextInt(4);
                kernel[d] = 1 + random.nextInt(3);
                stride[d] = 1 + random.nextInt(2);
            }
            Window w = Window.of(
                    Shape.of(dims), false, kernel, stride, ONES, round % 2 == 0 ? Padding.SAME : Padding.VALID);
            Tensor x = Numbers.whole(random, t, dims),
                    dy = Numbers.whole(random, t, w.output(3).dims());
            int n = (int) dy.size();
            double[] max = new double[n],
                    avg = new double[n],
                    dMax = new double[(int) x.size()],
                    dAvg = new double[(int) x.size()],
                    second = new double[n];
            long[] argmax = new long[n];
            for (int o = 0; o < n; o++) {
                int c = o % 3, best = -1, count = 0;
                double sum = 0;
                for (int i = 0; i < x.size() / 3; i++) {
                    if (!covers(w, o / 3, i)) continue;
                    double v = x.getDouble(i * 3L + c);
                    sum += v;
                    count++;
                    if (best < 0 || v > x.getDouble(best)) best = i * 3 + c;
                }
                max[o] = x.getDouble(best);
                argmax[o] = best;
                dMax[best] += dy.getDouble(o);
                second[o] = x.getDouble(best);
                avg[o] = sum / count;
                for (int i = 0; i < x.size() / 3; i++)
                    if (covers(w, o / 3, i)) dAvg[i * 3 + c] += dy.getDouble(o) / count;
            }
            Parallel p = round % 3 == 0 ? new Threads() : Parallel.SERIAL;
            String what = t + " round " + round;
            Tensor y = Numbers.like(dy), dx = Numbers.like(x), arg = Tensor.zeros(DType.I64, dy.shape());
            MaxPool.forward(x, w, y, POOL, p);
            Numbers.assertClose(max, y, 0, what);
            MaxPool.withArgmax(x, w, true, y, arg, POOL, p);
            assertArrayEquals(argmax, arg.longs(), what);
            MaxPool.gradient(x, dy, w, dx, POOL, p);
            Numbers.assertClose(dMax, dx, 0, what);
            MaxPool.gradientByArgmax(dy, arg, true, x.size() / 2, dx, POOL);
            Numbers.assertClose(dMax, dx, 0, what);
            MaxPool.secondGradient(x, x, w, y, POOL, p);
            Numbers.assertClose(second, y, 0, what);
            if (!t.isFloating()) continue;
            double tolerance = t == DType.BF16 ? 1e-2 : t == DType.F16 ? 1e-3 : 1e-6;
            AvgPool.forward(x, w, y, POOL, p);
            Numbers.assertClose(avg, y, tolerance, what);
            AvgPool.gradient(dy, w, dx, POOL, p);
            Numbers.assertClose(dAvg, dx, tolerance, what);
        }
    }

    private static boolean covers(Window w, long p, long i) {
        if (p / w.positions() != i / w.inPositions()) return false;
        long o = p % w.positions(), in = i % w.inPositions();
        long[] at = {o / w.out[2] / w.out[1], o / w.out[2] % w.out[1], o % w.out[2]},
                xs = {in / w.in[2] / w.in[1], in / w.in[2] % w.in[1], in % w.in[2]};
        for (int d = 0; d < 3; d++) {
            long k = xs[d] - at[d] * w.stride[d] + w.before[d];
            if (k < 0 || k >= w.kernel[d]) return false;
        }
        return true;
    }

    @Test
    void tiesOfTheThreeDimensionalPoolShareTheWholeGradient() {
        Tensor x = Tensor.of(Shape.of(1, 1, 1, 4, 1), 1f, 1, 0, 2),
                y = Tensor.of(Shape.of(1, 1, 1, 2, 1), 1f, 2),
                dy = Tensor.of(Shape.of(1, 1, 1, 2, 1), 3f, 5);
        Window w = Window.of(x.shape(), false, new long[] {1, 1, 2}, new long[] {1, 1, 2}, ONES, Padding.VALID);
        Tensor dx = Numbers.like(x);
        MaxPool.gradientOfTies(x, y, dy, w, dx, POOL, Parallel.SERIAL);
        assertArrayEquals(new float[] {3, 3, 0, 5}, dx.floats());
        assertEquals(y.shape(), w.output(1));
    }

    /** Zeros of both signs, NaN and infinities among the numbers. */
    @Test
    void vectorsAndScalarsGiveTheSameBits() {
        Random random = new Random(22);
        float[] odd = {0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1, 1};
        long c = 32, count = 5, step = 2 * c;
        long[] taps = {0, c, 12 * c, 13 * c};
        Tensor x = Kept.keep(Tensor.zeros(DType.F32, Shape.of(24, c))),
                dy = Tensor.zeros(DType.F32, Shape.of(count, c));
        for (Tensor t : new Tensor[] {x, dy})
            for (long i = 0; i < t.size(); i++)
                t.set(i, random.nextInt(3) == 0 ? odd[random.nextInt(odd.length)] : random.nextFloat());
        Tensor[] a = new Tensor[7], b = new Tensor[7];
        for (int i = 0; i < 7; i++) {
            a[i] = Numbers.like(i < 4 ? dy : x);
            b[i] = Numbers.like(i < 4 ? dy : x);
        }
        long in = x.address(), g = dy.address();
        PoolF32.Vectors.max(in, step, taps, 4, a[0].address(), count, c, c);
        PoolF32.Vectors.mean(in, step, taps, 4, a[1].address(), count, c, c);
        PoolF32.Vectors.winners(in, step, taps, 4, a[2].address(), a[3].address(), count, c, c);
        PoolF32.Vectors.maxGradient(in, step, taps, 4, g, a[4].address(), count, c, c);
        PoolF32.Vectors.maxGradientOnce(in, step, taps, 4, g, a[6].address(), count, c, c);
        PoolF32.Vectors.meanGradient(a[5].address(), step, taps, 4, g, count, c, c);
        for (long i = 0; i < c; i++) { // one channel at a time never fills a vector
            for (long p = 0; p < count; p++) {
                long from = in + 4 * (p * step + i), at = 4 * (p * c + i), to = 4 * (p * step + i);
                PoolF32.max(from, step, taps, 4, b[0].address() + at, 1, 1);
                PoolF32.mean(from, step, taps, 4, b[1].address() + at, 1, 1);
                PoolF32.winners(from, step, taps, 4, b[2].address() + at, b[3].address() + at, 1, 1);
                PoolF32.maxGradient(from, step, taps, 4, g + at, b[4].address() + to, 1, 1);
                PoolF32.maxGradientOnce(from, step, taps, 4, g + at, b[6].address() + to, 1, 1);
                PoolF32.meanGradient(g + at, b[5].address() + to, step, taps, 4, 1, 1);
            }
        }
        for (int i = 0; i < 7; i++) assertArrayEquals(b[i].bytes(), a[i].bytes(), "result " + i);
        assertArrayEquals(a[4].bytes(), a[6].bytes(), "stored or added to zeros");
        Tensor once = Numbers.like(x);
        PoolF32.Vectors.maxGradientOf4(in, step, taps, g, once.address(), count, c, c);
        assertArrayEquals(a[6].bytes(), once.bytes(), "gradients of windows of four");
    }

    @Test
    void channelsFirstGivesTheTransposeOfChannelsLast() {
        Random random = new Random(23);
        Tensor last = Numbers.whole(random, DType.F32, 2, 7, 6, 20),
                first = Tensor.zeros(DType.F32, Shape.of(2, 20, 7, 6));
        Transpose.run(last, new int[] {0, 3, 1, 2}, first, Parallel.SERIAL);
        long[] kernel = {3, 2}, stride = {2, 1}, dilation = {1, 1};
        Window l = Window.of(last.shape(), false, kernel, stride, dilation, Padding.SAME);
        Window f = Window.of(first.shape(), true, kernel, stride, dilation, Padding.SAME);
        Tensor yl = Tensor.zeros(DType.F32, l.output(20)),
                yf = Tensor.zeros(DType.F32, f.output(20)),
                back = Numbers.like(yl);
        Tensor dl = Numbers.like(last), df = Numbers.like(first), dBack = Numbers.like(last);
        for (int kind = 0; kind < 2; kind++) {
            if (kind == 0) MaxPool.forward(last, l, yl, POOL, new Threads());
            else AvgPool.forward(last, l, yl, POOL, new Threads());
            if (kind == 0) MaxPool.forward(first, f, yf, POOL, new Threads());
            else AvgPool.forward(first, f, yf, POOL, new Threads());
            Transpose.run(yf, new int[] {0, 2, 3, 1}, back, Parallel.SERIAL);
            assertArrayEquals(yl.floats(), back.floats());
            if (kind == 0) MaxPool.gradient(last, yl, l, dl, POOL, new Threads());
            else AvgPool.gradient(yl, l, dl, POOL, new Threads());
            if (kind == 0) MaxPool.gradient(first, yf, f, df, POOL, new Threads());
            else AvgPool.gradient(yf, f, df, POOL, new Threads());
            Transpose.run(df, new int[] {0, 2, 3, 1}, dBack, Parallel.SERIAL);
            assertArrayEquals(dl.floats(), dBack.floats());
        }
    }

    @Test
    void vectorsAndScalarsOfFiltersGiveTheSameBits() {
        Random random = new Random(24);
        long c = 32, count = 5, step = 2 * c;
        long[] taps = {0, c, 12 * c, 13 * c};
        int[] numbers = {1, 2, 4, 5};
        Tensor x = Kept.keep(Tensor.zeros(DType.F32, Shape.of(24, c))), f = Tensor.zeros(DType.F32, Shape.of(6, c));
        Tensor dy = Tensor.zeros(DType.F32, Shape.of(count, c));
        for (Tensor t : new Tensor[] {x, f, dy}) for (long i = 0; i < t.size(); i++) t.set(i, random.nextGaussian());
        Tensor[] a = {Numbers.like(dy), Numbers.like(dy), Numbers.like(x), Numbers.like(f)};
        Tensor[] b = {Numbers.like(dy), Numbers.like(dy), Numbers.like(x), Numbers.like(f)};
        long in = x.address(), filter = f.address(), g = dy.address();
        DepthwiseF32.Vectors.forward(in, step, taps, numbers, 4, filter, a[0].address(), count, c, c);
        DepthwiseF32.Vectors.dilation(in, step, taps, numbers, 4, filter, a[1].address(), count, c, c);
        DepthwiseF32.Vectors.inputGradient(a[2].address(), step, taps, numbers, 4, filter, g, count, c, c);
        DepthwiseF32.Vectors.filterGradient(in, step, taps, numbers, 4, a[3].address(), g, count, c, c);
        for (int i = 0; i < c; i++) {
            for (int p = 0; p < count; p++) {
                float sum = 0, best = 0;
                for (int t = 0; t < 4; t++) {
                    float v = x.floats()[(int) (p * step + i + taps[t])], u = f.floats()[(int) (numbers[t] * c + i)];
                    sum = Math.fma(v, u, sum);
                    best = t == 0 ? v + u : Math.max(best, v + u);
                }
                b[0].set(p * c + i, sum);
                b[1].set(p * c + i, best);
            }
        }
        for (long p = 0; p < count; p++) {
            for (int t = 0; t < 4; t++) {
                for (long i = 0; i < c; i++) {
                    float d = dy.floats()[(int) (p * c + i)];
                    long at = p * step + i + taps[t], tap = numbers[t] * c + i;
                    b[2].set(at, Math.fma(d, f.floats()[(int) tap], (float) b[2].getDouble(at)));
                    b[3].set(tap, Math.fma(d, x.floats()[(int) at], (float) b[3].getDouble(tap)));
                }
            }
        }
        for (int i = 0; i < 4; i++) assertArrayEquals(b[i].floats(), a[i].floats(), "result " + i);
    }
}
