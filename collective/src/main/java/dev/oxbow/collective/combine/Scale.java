package dev.oxbow.collective.combine;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;

/** Division of an array in memory by a whole number: correctly rounded for floating types, towards zero for integers. */
public final class Scale {
    private Scale() {}

    public static void divide(DType dtype, long address, long count, int divisor) {
        int width = dtype.size();
        for (long i = 0; i < count; i += Combine.STRIP) {
            strip(dtype, address + i * width, (int) Math.min(Combine.STRIP, count - i), divisor);
        }
    }

    private static void strip(DType dtype, long at, int n, int d) {
        switch (dtype) {
            case F32 -> floats(at, n, d);
            case F64 -> doubles(at, n, d);
            case F16 -> f16(at, n, d);
            case BF16 -> bf16(at, n, d);
            case I8 -> bytes(at, n, d);
            case U8 -> unsignedBytes(at, n, d);
            case I32 -> ints(at, n, d);
            case I64 -> longs(at, n, d);
            default -> throw new OxbowException(INVALID_ARGUMENT, "Reduction: mean is not defined for " + dtype);
        }
    }

    private static void floats(long at, int n, int d) {
        for (int i = 0; i < n; i++) Memory.putFloat(at + 4L * i, Memory.getFloat(at + 4L * i) / d);
    }

    private static void doubles(long at, int n, int d) {
        for (int i = 0; i < n; i++) Memory.putDouble(at + 8L * i, Memory.getDouble(at + 8L * i) / d);
    }

    private static void f16(long at, int n, int d) {
        for (int i = 0; i < n; i++) {
            Memory.putShort(at + 2L * i, Half.toF16(Half.fromF16(Memory.getShort(at + 2L * i)) / d));
        }
    }

    private static void bf16(long at, int n, int d) {
        for (int i = 0; i < n; i++) {
            Memory.putShort(at + 2L * i, Half.toBf16(Half.fromBf16(Memory.getShort(at + 2L * i)) / d));
        }
    }

    private static void bytes(long at, int n, int d) {
        for (int i = 0; i < n; i++) Memory.putByte(at + i, (byte) (Memory.getByte(at + i) / d));
    }

    private static void unsignedBytes(long at, int n, int d) {
        for (int i = 0; i < n; i++) Memory.putByte(at + i, (byte) ((Memory.getByte(at + i) & 0xff) / d));
    }

    private static void ints(long at, int n, int d) {
        for (int i = 0; i < n; i++) Memory.putInt(at + 4L * i, Memory.getInt(at + 4L * i) / d);
    }

    private static void longs(long at, int n, int d) {
        for (int i = 0; i < n; i++) Memory.putLong(at + 8L * i, Memory.getLong(at + 8L * i) / d);
    }
}
