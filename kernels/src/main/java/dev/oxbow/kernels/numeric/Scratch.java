package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Temporary tensors of one kernel call, released together, and the way of 16-bit floats through f32. */
final class Scratch implements AutoCloseable {
    private static final int TILE = 1024;

    private final MemoryPool pool;
    private final Parallel parallel;
    private final List<Tensor> tensors = new ArrayList<>();

    Scratch(MemoryPool pool, Parallel parallel) {
        this.pool = pool;
        this.parallel = parallel;
    }

    /** Uncleared memory. */
    Tensor tensor(DType dtype, long... dims) {
        Tensor t = pool.tensor(dtype, Shape.of(dims), "kernel scratch");
        tensors.add(t);
        return t;
    }

    /** Takes over a tensor, to be released with the rest. */
    void release(Tensor t) {
        tensors.add(t);
    }

    /** {@code x} itself, or for f16 and bf16 a copy in f32. */
    Tensor widened(Tensor x) {
        return isNarrow(x.dtype()) ? converted(x, DType.F32) : x;
    }

    /**
     * {@code y} itself, or for f16 and bf16 an uncleared f32 stand-in, to be given to {@link #narrow} when it is
     * done.
     */
    Tensor standIn(Tensor y) {
        return isNarrow(y.dtype()) ? tensor(DType.F32, y.shape().dims()) : y;
    }

    /** Rounds a stand-in into {@code y}. */
    void narrow(Tensor wide, Tensor y) {
        if (wide != y) convert(wide, y);
    }

    /**
     * The floating type in which elements of {@code dtype} are computed: f32 for 16-bit floats, f64 for whole
     * numbers.
     */
    static DType computed(DType dtype) {
        return isNarrow(dtype) ? DType.F32 : dtype.isFloating() ? dtype : DType.F64;
    }

    /** A copy of {@code x} as {@code to}, or itself when it is that already. */
    Tensor converted(Tensor x, DType to) {
        if (x.dtype() == to) return x;
        Tensor y = tensor(to, x.shape().dims());
        convert(x, y);
        return y;
    }

    private void convert(Tensor x, Tensor y) {
        DType from = x.dtype(), into = y.dtype();
        boolean tiled = isNarrow(from) && into == DType.F32 || from == DType.F32 && isNarrow(into);
        parallel.run(x.size(), 1 << 14, (first, last) -> {
            if (tiled) tiles(x, y, first, last);
            else for (long i = first; i < last; i++) y.set(i, x.getDouble(i));
        });
    }

    /** Between 16-bit floats and f32 by way of arrays, whose loops the JIT compiler makes vectors of. */
    private static void tiles(Tensor x, Tensor y, long first, long last) {
        short[] narrow = new short[(int) Math.min(TILE, last - first)];
        float[] wide = new float[narrow.length];
        for (long at = first; at < last; at += TILE) {
            int n = (int) Math.min(TILE, last - at);
            if (y.dtype() == DType.F32) {
                MemorySegment.copy(Memory.ALL, Memory.SHORT, x.address() + 2 * at, narrow, 0, n);
                if (x.dtype() == DType.F16) fromF16(narrow, wide, n);
                else fromBf16(narrow, wide, n);
                MemorySegment.copy(wide, 0, Memory.ALL, Memory.FLOAT, y.address() + 4 * at, n);
            } else {
                MemorySegment.copy(Memory.ALL, Memory.FLOAT, x.address() + 4 * at, wide, 0, n);
                if (y.dtype() == DType.F16) toF16(wide, narrow, n);
                else toBf16(wide, narrow, n);
                MemorySegment.copy(narrow, 0, Memory.ALL, Memory.SHORT, y.address() + 2 * at, n);
            }
        }
    }

    private static void fromF16(short[] x, float[] y, int n) {
        for (int i = 0; i < n; i++) y[i] = Half.fromF16(x[i]);
    }

    private static void fromBf16(short[] x, float[] y, int n) {
        for (int i = 0; i < n; i++) y[i] = Half.fromBf16(x[i]);
    }

    private static void toF16(float[] x, short[] y, int n) {
        for (int i = 0; i < n; i++) y[i] = Half.toF16(x[i]);
    }

    private static void toBf16(float[] x, short[] y, int n) {
        for (int i = 0; i < n; i++) y[i] = Half.toBf16(x[i]);
    }

    static boolean isNarrow(DType dtype) {
        return dtype == DType.F16 || dtype == DType.BF16;
    }

    @Override
    public void close() {
        for (Tensor t : tensors) t.release();
        tensors.clear();
    }
}
