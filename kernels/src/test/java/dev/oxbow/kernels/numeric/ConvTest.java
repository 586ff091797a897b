package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.kernels.move.Transpose;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ConvTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    /** The three results of one convolution, from the definition, channels last. */
    private record Naive(double[] y, double[] dx, double[] df) {
        static Naive of(Tensor x, Tensor f, Tensor dy, Window w, long groups, boolean depthwise) {
            Naive n = new Naive(new double[(int) dy.size()], new double[(int) x.size()], new double[(int) f.size()]);
            long ic = w.channels, fc = f.shape().dim(-2), oc = f.shape().dim(-1), outs = depthwise ? fc * oc : oc;
            for (long p = 0; p < w.batch * w.positions(); p++) {
                long o = p % w.positions();
                long[] at = {o / w.out[2] / w.out[1], o / w.out[2] % w.out[1], o % w.out[2]};
                for (long tap = 0; tap < w.taps(); tap++) {
                    long[] k = {tap / w.kernel[2] / w.kernel[1], tap / w.kernel[2] % w.kernel[1], tap % w.kernel[2]};
                    long i = p / w.positions();
                    boolean inside = true;
                    for (int d = 0; d < 3; d++) {
                        long c = at[d] * w.stride[d] + k[d] * w.dilation[d] - w.before[d];
                        inside &= c >= 0 && c < w.in[d];
                        i = i * w.in[d] + c;
                    }
                    if (!inside) continue;
                    for (long c = 0; c < fc; c++) {
                        for (long q = 0; q < oc; q++) {
                            int xi = (int) (i * ic + (depthwise ? c : q / (oc / groups) * fc + c));
                            int yi = (int) (p * outs + (depthwise ? c * oc + q : q)),
                                    fi = (int) ((tap * fc + c) * oc + q);
                            n.y[yi] += x.getDouble(xi) * f.getDouble(fi);
                            n.dx[xi] += dy.getDouble(yi) * f.getDouble(fi);
                            n.df[fi] += dy.getDouble(yi) * x.getDouble(xi);
                        }
                    }
                }
            }
            return n;
        }
    }

    @Test
    void convolutionsMatchTheDefinitionForEveryGeometry() {
        Random random = new Random(11);
        for (int round = 0; round < 60; round++) {
            int rank = 1 + round % 3;
            long groups = round % 4 == 0 ? 2 : 1,
                    ic = groups * (1 + random.nextInt(3)),
                    oc = groups * (1 + random.nextInt(4));
            long[] dims = new long[rank + 2],
                    kernel = new long[rank],
                    stride = new long[rank],
                    dilation = new long[rank],
                    before = new long[rank],
                    after = new long[rank];
            dims[0] = 1 + random.nextInt(2);
            dims[rank + 1] = ic;
            long[] filter = new long[rank + 2];
            for (int d = 0; d < rank; d++) {
                dims[d + 1] = 5 + random.nextInt(6);
                kernel[d] = filter[d] = 1 + random.nextInt(3);
                stride[d] = 1 + random.nextInt(3);
                dilation[d] = stride[d] == 1 ? 1 + random.nextInt(2) : 1;
                before[d] = random.nextInt(3);
                after[d] = random.nextInt(3);
            }
            filter[rank] = ic / groups;
            filter[rank + 1] = oc;
            Padding padding =
                    round % 3 == 0 ? Padding.SAME : round % 3 == 1 ? Padding.VALID : Padding.explicit(before, after);
            DType t = new DType[] {DType.F32, DType.F64, DType.F16, DType.BF16, DType.I32}[round % 5];
            check(
                    random,
                    t,
                    Window.of(Shape.of(dims), false, kernel, stride, dilation, padding),
                    dims,
                    filter,
                    groups,
                    false);
        }
        // Several chunks, and a pointwise one.
        for (long[] g : new long[][] {{3, 1}, {1, 1}}) {
            long[] dims = {2, 40, 40, 20}, k = {g[0], g[0]}, filter = {g[0], g[0], 20, 5};
            check(
                    random,
                    DType.F32,
                    Window.of(Shape.of(dims), false, k, new long[] {1, 1}, new long[] {1, 1}, Padding.SAME),
                    dims,
                    filter,
                    1,
                    false);
        }
    }

    @Test
    void depthwiseConvolutionsMatchTheDefinition() {
        Random random = new Random(12);
        for (int round = 0; round < 24; round++) {
            long c = 1 + random.nextInt(4), m = 1 + round % 3;
            long[] dims = {2, 7, 6, c},
                    kernel = {1 + random.nextInt(3), 1 + random.nextInt(3)},
                    stride = {1 + round % 2, 1 + round % 2};
            long[] dilation = round % 2 == 0 ? new long[] {2, 1} : new long[] {1, 1};
            DType t = new DType[] {DType.F32, DType.F64, DType.F16, DType.BF16}[round % 4];
            Window w = Window.of(
                    Shape.of(dims), false, kernel, stride, dilation, round % 3 == 0 ? Padding.VALID : Padding.SAME);
            check(random, t, w, dims, new long[] {kernel[0], kernel[1], c, m}, 1, true);
        }
    }

    private static void check(
            Random random, DType t, Window w, long[] dims, long[] filter, long groups, boolean depthwise) {
        long outs = depthwise ? filter[filter.length - 2] * filter[filter.length - 1] : filter[filter.length - 1];
        boolean whole = t == DType.I32;
        Tensor x = whole ? Numbers.whole(random, t, dims) : Numbers.uniform(random, t, dims);
        Tensor f = whole ? Numbers.whole(random, t, filter) : Numbers.uniform(random, t, filter);
        Tensor dy = whole
                ? Numbers.whole(random, t, w.output(outs).dims())
                : Numbers.uniform(random, t, w.output(outs).dims());
        Naive naive = Naive.of(x, f, dy, w, groups, depthwise);
        double tolerance = t == DType.BF16 ? 2e-2 : t == DType.F16 ? 2e-3 : t == DType.F32 ? 1e-4 : 1e-12;
        for (Parallel p : new Parallel[] {Parallel.SERIAL, new Threads()}) {
            Tensor y = Numbers.like(dy), dx = Numbers.like(x), df = Numbers.like(f);
            if (depthwise) {
                DepthwiseConv.forward(x, f, w, y, POOL, p);
                DepthwiseConv.inputGradient(f, dy, w, dx, POOL, p);
                DepthwiseConv.filterGradient(x, dy, w, df, POOL, p);
            } else {
                Conv.forward(x, f, w, y, POOL, p);
                Conv.inputGradient(f, dy, w, dx, POOL, p);
                Conv.filterGradient(x, dy, w, df, POOL, p);
            }
            String what = x + " * " + f + " -> " + dy;
            Numbers.assertClose(naive.y, y, tolerance, "y of " + what);
            Numbers.assertClose(naive.dx, dx, tolerance, "dx of " + what);
            Numbers.assertClose(naive.df, df, tolerance, "df of " + what);
        }
    }

    @Test
    void channelsFirstGivesTheTransposedResult() {
        Random random = new Random(13);
        Tensor x = Numbers.uniform(random, DType.F32, 2, 5, 6, 3), f = Numbers.uniform(random, DType.F32, 3, 2, 3, 4);
        long[] k = {3, 2}, s = {2, 1}, one = {1, 1};
        Window last = Window.of(x.shape(), false, k, s, one, Padding.SAME),
                first = Window.of(Shape.of(2, 3, 5, 6), true, k, s, one, Padding.SAME);
        Tensor xf = Tensor.allocate(DType.F32, Shape.of(2, 3, 5, 6)),
                y = Tensor.allocate(DType.F32, last.output(4)),
                yf = Tensor.allocate(DType.F32, first.output(4));
        Transpose.run(x, new int[] {0, 3, 1, 2}, xf, Parallel.SERIAL);
        Conv.forward(x, f, last, y, POOL, Parallel.SERIAL);
        Conv.forward(xf, f, first, yf, POOL, Parallel.SERIAL);
        Tensor back = Tensor.allocate(DType.F32, last.output(4));
        Transpose.run(yf, new int[] {0, 2, 3, 1}, back, Parallel.SERIAL);
        assertArrayEquals(y.floats(), back.floats());
        assertEquals(Shape.of(2, 4, 3, 6), first.output(4));
        Tensor dxf = Numbers.like(xf), dx = Numbers.like(x), backX = Numbers.like(x);
        Conv.inputGradient(f, yf, first, dxf, POOL, Parallel.SERIAL);
        Conv.inputGradient(f, y, last, dx, POOL, Parallel.SERIAL);
        Transpose.run(dxf, new int[] {0, 2, 3, 1}, backX, Parallel.SERIAL);
        assertArrayEquals(dx.floats(), backX.floats());
    }
}
