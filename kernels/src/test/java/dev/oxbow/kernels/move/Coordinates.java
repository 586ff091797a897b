package dev.oxbow.kernels.move;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.Kept;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.function.ToLongFunction;

/** Naive references for movers: tensors that hold 1, 2, 3, ... and outputs predicted coordinate by coordinate. */
final class Coordinates {
    static final DType[] WIDTHS = {DType.U8, DType.I16, DType.I32, DType.I64, DType.C128, DType.STRING};

    private Coordinates() {}

    static Tensor iota(DType dtype, long... dims) {
        Shape shape = Shape.of(dims);
        Tensor t = Kept.keep(Tensor.allocate(dtype, shape));
        for (int i = 0; i < shape.size(); i++) put(t, i, i + 1);
        return t;
    }

    static Tensor blank(DType dtype, long... dims) {
        Tensor t = Kept.keep(Tensor.allocate(dtype, Shape.of(dims)));
        for (int i = 0; i < t.size(); i++) put(t, i, 77);
        return t;
    }

    static void put(Tensor t, int i, long value) {
        switch (t.dtype()) {
            case STRING -> t.objects()[i] = Long.toString(value).getBytes();
            case C128 -> {
                Memory.putDouble(t.address() + 16L * i, value);
                Memory.putDouble(t.address() + 16L * i + 8, -value);
            }
            default -> t.setLong(i, value);
        }
    }

    static long get(Tensor t, long i) {
        return switch (t.dtype()) {
            case STRING -> Long.parseLong(new String((byte[]) t.objects()[(int) i]));
            case C128 -> {
                assertEquals(0.0, Memory.getDouble(t.address() + 16 * i) + Memory.getDouble(t.address() + 16 * i + 8));
                yield (long) Memory.getDouble(t.address() + 16 * i);
            }
            default -> t.getLong(i);
        };
    }

    /** Checks each element of {@code y} against what {@code expected} says for its coordinates. */
    static void check(Tensor y, ToLongFunction<long[]> expected, String what) {
        long[] dims = y.shape().dims();
        for (long i = 0; i < y.size(); i++) {
            long[] at = at(dims, i);
            long mask = y.dtype() == DType.U8 ? 0xff : -1;
            assertEquals(expected.applyAsLong(at) & mask, get(y, i), () -> what + " at " + Arrays.toString(at));
        }
    }

    static long[] at(long[] dims, long i) {
        long[] at = new long[dims.length];
        for (int d = dims.length - 1; d >= 0; d--) {
            at[d] = i % dims[d];
            i /= dims[d];
        }
        return at;
    }

    /** The value of an iota tensor at these coordinates. */
    static long value(long[] dims, long... at) {
        long i = 0;
        for (int d = 0; d < dims.length; d++) i = i * dims[d] + at[d];
        return i + 1;
    }
}
