package dev.oxbow.collective;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/** Elements of any dtype as doubles, and reductions over them that know nothing of the library's loops. */
final class Values {
    static final List<DType> DTYPES =
            List.of(DType.F32, DType.F64, DType.F16, DType.BF16, DType.I8, DType.U8, DType.I32, DType.I64, DType.BOOL);

    private Values() {}

    static double get(DType dtype, long address, long i) {
        long at = address + i * dtype.size();
        return switch (dtype) {
            case F32 -> Memory.getFloat(at);
            case F64 -> Memory.getDouble(at);
            case F16 -> Half.fromF16(Memory.getShort(at));
            case BF16 -> Half.fromBf16(Memory.getShort(at));
            case I8, BOOL -> Memory.getByte(at);
            case U8 -> Memory.getByte(at) & 0xff;
            case I32 -> Memory.getInt(at);
            case I64 -> Memory.getLong(at);
            default -> throw new AssertionError(dtype);
        };
    }

    static void put(DType dtype, long address, long i, double value) {
        long at = address + i * dtype.size();
        switch (dtype) {
            case F32 -> Memory.putFloat(at, (float) value);
            case F64 -> Memory.putDouble(at, value);
            case F16 -> Memory.putShort(at, Half.toF16((float) value));
            case BF16 -> Memory.putShort(at, Half.toBf16((float) value));
            case I8, U8, BOOL -> Memory.putByte(at, (byte) (long) value);
            case I32 -> Memory.putInt(at, (int) value);
            case I64 -> Memory.putLong(at, (long) value);
            default -> throw new AssertionError(dtype);
        }
    }

    /** The reduction of two small whole numbers; a mean is summed here. */
    static DoubleBinaryOperator operator(Reduction reduction) {
        return switch (reduction.name()) {
            case "sum", "mean" -> Double::sum;
            case "product" -> (a, b) -> a * b;
            case "min" -> Math::min;
            case "max" -> Math::max;
            case "and" -> (a, b) -> (long) a & (long) b;
            case "or" -> (a, b) -> (long) a | (long) b;
            case "xor" -> (a, b) -> (long) a ^ (long) b;
            default -> throw new AssertionError(reduction);
        };
    }
}
