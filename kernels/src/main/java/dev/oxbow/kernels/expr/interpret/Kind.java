package dev.oxbow.kernels.expr.interpret;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** What a value of an expression is held in while it is computed. */
public enum Kind {
    /** Also the integers below 32 bits, sign- or zero-extended, and u32 by its bits. */
    I32,
    /** Also u64, by its bits. */
    I64,
    /** Also f16 and bf16, as values that the narrow type can hold. */
    F32,
    F64,
    BOOL;

    /** The kind of a real dtype; complex values are pairs and have none. */
    public static Kind of(DType dtype) {
        return switch (dtype) {
            case F32, F16, BF16 -> F32;
            case F64 -> F64;
            case I64, U64 -> I64;
            case BOOL -> BOOL;
            case I32, U32, I16, U16, I8, U8, QI32, QI16, QU16, QI8, QU8 -> I32;
            case C64, C128, STRING, RESOURCE, VARIANT ->
                throw new OxbowException(ErrorCode.INVALID_ARGUMENT, "Expr: " + dtype + " values have no scalar kind");
        };
    }

    public boolean isFloating() {
        return this == F32 || this == F64;
    }

    public boolean is64() {
        return this == I64 || this == F64;
    }

    public boolean isInteger() {
        return this == I32 || this == I64;
    }
}
