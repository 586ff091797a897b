package dev.oxbow.collective.combine;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;

/** A loop over two arrays in memory of any alignment: {@code to[i] = to[i] op from[i]}. The arrays are apart or the same. */
@FunctionalInterface
public interface Combine {

    void combine(long to, long from, long count);

    /** The largest count that a loop gets at once: small enough for an int, large enough to forget about the call. */
    int STRIP = 4096;

    /** The loop for a strip. */
    @FunctionalInterface
    interface Strip {
        void combine(long to, long from, int count);
    }

    /** Cuts any count into strips, so that loops count in ints and are compiled as methods, not on the stack. */
    static Combine strips(int width, Strip strip) {
        return (to, from, count) -> {
            for (long i = 0; i < count; i += STRIP) {
                strip.combine(to + i * width, from + i * width, (int) Math.min(STRIP, count - i));
            }
        };
    }

    static Combine sum(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, I64 -> Loop.SUM.of(dtype);
            case F16, BF16 -> new CombineHalf(dtype, CombineHalf::sum);
            case I8, U8 -> strips(1, CombineBytes::sum);
            default -> throw unsupported("sum", dtype);
        };
    }

    static Combine product(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, I64 -> Loop.PRODUCT.of(dtype);
            case F16, BF16 -> new CombineHalf(dtype, CombineHalf::product);
            case I8, U8 -> strips(1, CombineBytes::product);
            default -> throw unsupported("product", dtype);
        };
    }

    static Combine min(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, I64 -> Loop.MIN.of(dtype);
            case F16, BF16 -> new CombineHalf(dtype, CombineHalf::min);
            case I8 -> strips(1, CombineBytes::min);
            case U8 -> strips(1, CombineBytes::minUnsigned);
            case BOOL -> strips(1, CombineBytes::logicalAnd);
            default -> throw unsupported("min", dtype);
        };
    }

    static Combine max(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, I64 -> Loop.MAX.of(dtype);
            case F16, BF16 -> new CombineHalf(dtype, CombineHalf::max);
            case I8 -> strips(1, CombineBytes::max);
            case U8 -> strips(1, CombineBytes::maxUnsigned);
            case BOOL -> strips(1, CombineBytes::logicalOr);
            default -> throw unsupported("max", dtype);
        };
    }

    /** Bitwise, or logical for bool; so are the next two. */
    static Combine and(DType dtype) {
        return dtype == DType.BOOL ? strips(1, CombineBytes::logicalAnd) : Loop.AND.bits(dtype.size());
    }

    static Combine or(DType dtype) {
        return dtype == DType.BOOL ? strips(1, CombineBytes::logicalOr) : Loop.OR.bits(dtype.size());
    }

    static Combine xor(DType dtype) {
        return dtype == DType.BOOL ? strips(1, CombineBytes::logicalXor) : Loop.XOR.bits(dtype.size());
    }

    private static OxbowException unsupported(String name, DType dtype) {
        return new OxbowException(INVALID_ARGUMENT, "Reduction: " + name + " is not defined for " + dtype);
    }
}
