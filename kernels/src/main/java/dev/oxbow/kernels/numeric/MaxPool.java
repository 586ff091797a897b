package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Maximum over windows, per channel, for every real dtype; of equal elements the first one counts. */
public final class MaxPool {
    private MaxPool() {}

    /** {@code y} = the largest element of each window. */
    public static void forward(Tensor x, Window w, Tensor y, MemoryPool pool, Parallel parallel) {
        if (y.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, x, w.channelsFirst(), parallel), out = Layout.standIn(s, y, w.channelsFirst());
            if (x.dtype() == DType.F32) floats(in.address(), w, out.address(), parallel);
            else each(in, w, parallel, (o, i) -> copy(in, i, out, o));
            Layout.first(out, y, parallel);
        }
    }

    /**
     * {@code y} and where it was found: {@code (row * columns + column) * channels + channel} in channels-last order, plus
     * the image's offset when {@code batchInIndex}. For images with channels last.
     */
    public static void withArgmax(
            Tensor x, Window w, boolean batchInIndex, Tensor y, Tensor argmax, MemoryPool pool, Parallel parallel) {
        if (y.size() == 0) return;
        long image = w.inPositions() * w.channels;
        if (x.dtype() == DType.F32) {
            floatsWithArgmax(x, w, batchInIndex, y, argmax, pool, parallel);
            return;
        }
        each(x, w, parallel, (o, i) -> {
            copy(x, i, y, o);
            argmax.setLong(o, batchInIndex ? i : i % image);
        });
    }

    /** {@code dx}: each window's gradient goes to its largest element, the first of equal ones. */
    public static void gradient(Tensor x, Tensor dy, Window w, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (dx.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, x, w.channelsFirst(), parallel),
                    grad = Layout.last(s, dy, w.channelsFirst(), parallel);
            Tensor out = Layout.standIn(s, dx, w.channelsFirst());
            if (dx.dtype() == DType.F32) {
                floatGradient(in.address(), grad.address(), w, out.address(), parallel);
            } else {
                DType t = Scratch.computed(dx.dtype());
                Tensor sum = t == out.dtype() ? out : s.tensor(t, out.shape().dims());
                Memory.zero(sum.address(), sum.byteSize());
                if (dy.size() > 0) images(in, w, parallel, (o, i) -> sum.set(i, sum.getDouble(i) + grad.getDouble(o)));
                s.narrow(sum, out);
            }
            Layout.first(out, dx, parallel);
        }
    }

    /** Whether {@code dx} may be the memory of {@code x}: each window is read before it is written, and no other reads it. */
    public static boolean gradientWorksInPlace(DType dtype, Window w) {
        return dtype == DType.F32 && !w.channelsFirst() && Pooling.isTiled(w);
    }

    /**
     * {@code dx} by recorded positions, as {@link #withArgmax} gives them; {@code perImage} is the input elements of
     * an image.
     */
    public static void gradientByArgmax(
            Tensor dy, Tensor argmax, boolean batchInIndex, long perImage, Tensor dx, MemoryPool pool) {
        try (Scratch s = new Scratch(pool, Parallel.SERIAL)) {
            DType t = Scratch.computed(dx.dtype());
            Tensor sum = t == dx.dtype() ? dx : s.tensor(t, dx.shape().dims());
            Memory.zero(sum.address(), sum.byteSize());
            long outPerImage = dy.size() == 0 ? 1 : dy.size() / dy.shape().dim(0);
            if (dx.dtype() == DType.F32) {
                floatGradientByArgmax(dy, argmax, batchInIndex, perImage, outPerImage, dx);
                return;
            }
            for (long o = 0; o < dy.size(); o++) {
                long i = position(argmax, o, batchInIndex, o / outPerImage * perImage, dx.size());
                sum.set(i, sum.getDouble(i) + dy.getDouble(o));
            }
            s.narrow(sum, dx);
        }
    }

    /**
     * The gradient of {@link #gradient} to {@code dy}: each window picks {@code dx} at its largest element of {@code
     * x}.
     */
    public static void secondGradient(Tensor x, Tensor dx, Window w, Tensor ddy, MemoryPool pool, Parallel parallel) {
        if (ddy.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, x, w.channelsFirst(), parallel),
                    grad = Layout.last(s, dx, w.channelsFirst(), parallel);
            Tensor out = Layout.standIn(s, ddy, w.channelsFirst());
            each(in, w, parallel, (o, i) -> copy(grad, i, out, o));
            Layout.first(out, ddy, parallel);
        }
    }

    /** The same by recorded positions. */
    public static void secondGradientByArgmax(Tensor dx, Tensor argmax, boolean batchInIndex, Tensor ddy) {
        long perImage = dx.size() == 0 ? 0 : dx.size() / dx.shape().dim(0);
        long outPerImage = ddy.size() == 0 ? 1 : ddy.size() / ddy.shape().dim(0);
        for (long o = 0; o < ddy.size(); o++)
            copy(dx, position(argmax, o, batchInIndex, o / outPerImage * perImage, dx.size()), ddy, o);
    }

    /**
     * The gradient of TensorFlow's 3-D pool: every element within 1e-5 of the window's output gets all of its
     * gradient.
     */
    public static void gradientOfTies(
            Tensor x, Tensor y, Tensor dy, Window w, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (dx.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, x, w.channelsFirst(), parallel),
                    max = Layout.last(s, y, w.channelsFirst(), parallel);
            Tensor grad = Layout.last(s, dy, w.channelsFirst(), parallel),
                    out = Layout.standIn(s, dx, w.channelsFirst());
            Tensor sum = s.standIn(out);
            Memory.zero(sum.address(), sum.byteSize());
            long c = w.channels;
            parallel.run(w.batch, 1, (from, to) -> {
                for (long p = from * w.positions(); p < to * w.positions(); p++) {
                    long position = p;
                    Pooling.taps(w, p, input -> {
                        for (long i = 0; i < c; i++) {
                            if (!(Math.abs(in.getDouble(input * c + i) - max.getDouble(position * c + i)) < 1e-5))
                                continue;
                            sum.set(input * c + i, sum.getDouble(input * c + i) + grad.getDouble(position * c + i));
                        }
                    });
                }
            });
            s.narrow(sum, out);
            Layout.first(out, dx, parallel);
        }
    }

    private interface Found {
        void at(long output, long input);
    }

    /** Finds the input element of every output element; outputs are independent. */
    private static void each(Tensor x, Window w, Parallel parallel, Found found) {
        parallel.run(
                w.batch * w.positions(),
                Math.max(1, (1 << 12) / Math.max(1, w.channels * w.mostTaps())),
                (from, to) -> find(x, w, from, to, found));
    }

    /** The same with an image per task, for what adds to the input. */
    private static void images(Tensor x, Window w, Parallel parallel, Found found) {
        parallel.run(w.batch, 1, (from, to) -> find(x, w, from * w.positions(), to * w.positions(), found));
    }

    private static void find(Tensor x, Window w, long from, long to, Found found) {
        long[] best = Counts.array(w.channels, long[]::new);
        int c = best.length;
        for (long p = from; p < to; p++) {
            Arrays.fill(best, -1);
            Pooling.taps(w, p, input -> {
                for (int i = 0; i < c; i++) {
                    long at = input * c + i;
                    if (best[i] < 0 || greater(x, at, best[i])) best[i] = at;
                }
            });
            for (int i = 0; i < c; i++) if (best[i] >= 0) found.at(p * c + i, best[i]);
        }
    }

    private static boolean greater(Tensor x, long i, long j) {
        return switch (x.dtype()) {
            case I64 -> x.getLong(i) > x.getLong(j);
            case U64 -> Long.compareUnsigned(x.getLong(i), x.getLong(j)) > 0;
            default -> x.getDouble(i) > x.getDouble(j);
        };
    }

    private static void floats(long x, Window w, long y, Parallel parallel) {
        long c = w.channels, step = w.stride[2] * c;
        Pooling.each(
                w,
                parallel,
                (p, count, start, taps, numbers, n) ->
                        PoolF32.max(x + 4 * start, step, taps, n, y + 4 * p * c, count, c));
    }

    private static void floatGradient(long x, long dy, Window w, long dx, Parallel parallel) {
        long c = w.channels, step = w.stride[2] * c;
        if (Pooling.isTiled(w)) {
            Pooling.each(
                    w,
                    parallel,
                    (p, count, start, taps, numbers, n) -> PoolF32.maxGradientOnce(
                            x + 4 * start, step, taps, n, dy + 4 * p * c, dx + 4 * start, count, c));
            return;
        }
        Pooling.scatter(
                w,
                4,
                dx,
                parallel,
                (p, count, start, taps, numbers, n) ->
                        PoolF32.maxGradient(x + 4 * start, step, taps, n, dy + 4 * p * c, dx + 4 * start, count, c));
    }

    /** The same as the general way, with the winners' taps in scratch memory first. */
    private static void floatsWithArgmax(
            Tensor x, Window w, boolean batchInIndex, Tensor y, Tensor argmax, MemoryPool pool, Parallel parallel) {
        long c = w.channels, step = w.stride[2] * c, image = w.inPositions() * c;
        long from = x.address(), to = y.address(), at = argmax.address();
        boolean wide = argmax.dtype().size() == 8;
        try (Scratch s = new Scratch(pool, parallel)) {
            long winners = s.tensor(DType.F32, y.size()).address();
            Pooling.each(w, parallel, (p, count, start, taps, numbers, n) -> {
                if (n == 0) return;
                PoolF32.winners(from + 4 * start, step, taps, n, to + 4 * p * c, winners + 4 * p * c, count, c);
                long origin = batchInIndex ? 0 : p / w.positions() * image;
                for (long q = 0; q < count; q++) {
                    long first = start + q * step - origin;
                    for (long i = 0, o = (p + q) * c; i < c; i++, o++) {
                        long index = first + i + taps[(int) Memory.getFloat(winners + 4 * o)];
                        if (wide) Memory.putLong(at + 8 * o, index);
                        else Memory.putInt(at + 4 * o, (int) index);
                    }
                }
            });
        }
    }

    private static void floatGradientByArgmax(
            Tensor dy, Tensor argmax, boolean batchInIndex, long perImage, long outPerImage, Tensor dx) {
        long from = dy.address(), to = dx.address(), at = argmax.address(), size = dx.size(), n = dy.size();
        boolean wide = argmax.dtype().size() == 8;
        for (long first = 0, image = 0; first < n; first += outPerImage, image += perImage) {
            long origin = batchInIndex ? 0 : image;
            for (long o = first; o < Math.min(n, first + outPerImage); o++) {
                long i = origin + (wide ? Memory.getLong(at + 8 * o) : Memory.getInt(at + 4 * o));
                if (i < 0 || i >= size) Pooling.checkPosition(i, o, size);
                Memory.putFloat(to + 4 * i, Memory.getFloat(to + 4 * i) + Memory.getFloat(from + 4 * o));
            }
        }
    }

    private static long position(Tensor argmax, long o, boolean batchInIndex, long image, long size) {
        long i = argmax.getLong(o) + (batchInIndex ? 0 : image);
        Pooling.checkPosition(i, o, size);
        return i;
    }

    private static void copy(Tensor x, long i, Tensor y, long o) {
        int w = x.dtype().size();
        Memory.copy(x.address() + i * w, y.address() + o * w, w);
    }
}
