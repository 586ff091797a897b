package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Temporary tensors of one kernel call, released together, and the way of 16-bit floats through f32. */
final class Scratch implements AutoCloseable {
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
        long f = x.address(), t = y.address();
        DType from = x.dtype(), into = y.dtype();
        parallel.run(x.size(), 1 << 14, (first, last) -> {
            if (from == DType.F16 && into == DType.F32) {
                for (long i = first; i < last; i++)
                    Memory.putFloat(t + 4 * i, Half.fromF16(Memory.getShort(f + 2 * i)));
            } else if (from == DType.BF16 && into == DType.F32) {
                for (long i = first; i < last; i++)
                    Memory.putFloat(t + 4 * i, Half.fromBf16(Memory.getShort(f + 2 * i)));
            } else {
                for (long i = first; i < last; i++) y.set(i, x.getDouble(i));
            }
        });
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
