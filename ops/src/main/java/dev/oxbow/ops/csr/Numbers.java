package dev.oxbow.ops.csr;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/** Real and complex elements of tensors as one or two doubles. */
final class Numbers {
    private Numbers() {}

    /** The real (0) or imaginary (1) part of an element. */
    static double get(Tensor t, long i, int part) {
        return switch (t.dtype()) {
            case C64 -> Memory.getFloat(t.address() + 8 * i + 4L * part);
            case C128 -> Memory.getDouble(t.address() + 16 * i + 8L * part);
            default -> t.getDouble(i);
        };
    }

    static void set(Tensor t, long i, int part, double value) {
        switch (t.dtype()) {
            case C64 -> Memory.putFloat(t.address() + 8 * i + 4L * part, (float) value);
            case C128 -> Memory.putDouble(t.address() + 16 * i + 8L * part, value);
            default -> t.set(i, value);
        }
    }

    /** Fills a tensor with numbers that lie one after the other. */
    static void fill(Tensor t, long from, double[] values) {
        int parts = CsrMatrix.parts(t.dtype());
        for (int i = 0; i < values.length / parts; i++)
            for (int p = 0; p < parts; p++) set(t, from + i, p, values[i * parts + p]);
    }

    /** As a number of this dtype. */
    static double rounded(DType dtype, double v) {
        return dtype == DType.F32 || dtype == DType.C64 ? (float) v : v;
    }
}
