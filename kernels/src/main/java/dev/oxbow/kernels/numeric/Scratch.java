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

    /** {@code x} itself, or for f16 and bf16 a copy in f32. */
    Tensor widened(Tensor x) {
        if (!isNarrow(x.dtype())) return x;
        Tensor wide = tensor(DType.F32, x.shape().dims());
        boolean half = x.dtype() == DType.F16;
        parallel.run(x.size(), 1 << 14, (from, to) -> {
            for (long i = from; i < to; i++) {
                short bits = Memory.getShort(x.address() + 2 * i);
                Memory.putFloat(wide.address() + 4 * i, half ? Half.fromF16(bits) : Half.fromBf16(bits));
            }
        });
        return wide;
    }

    /** {@code y} itself, or for f16 and bf16 an uncleared f32 stand-in, to be given to {@link #narrow} when it is done. */
    Tensor standIn(Tensor y) {
        return isNarrow(y.dtype()) ? tensor(DType.F32, y.shape().dims()) : y;
    }

    /** Rounds a stand-in into {@code y}. */
    void narrow(Tensor wide, Tensor y) {
        if (wide == y) return;
        boolean half = y.dtype() == DType.F16;
        parallel.run(y.size(), 1 << 14, (from, to) -> {
            for (long i = from; i < to; i++) {
                float x = Memory.getFloat(wide.address() + 4 * i);
                Memory.putShort(y.address() + 2 * i, half ? Half.toF16(x) : Half.toBf16(x));
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
