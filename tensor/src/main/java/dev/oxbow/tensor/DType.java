package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import java.util.Locale;

/** Element types, with TensorFlow's numbers and names on the wire. */
public enum DType {
    F32(1, "float32", 4, Kind.FLOATING),
    F64(2, "float64", 8, Kind.FLOATING),
    I32(3, "int32", 4, Kind.SIGNED),
    U8(4, "uint8", 1, Kind.UNSIGNED),
    I16(5, "int16", 2, Kind.SIGNED),
    I8(6, "int8", 1, Kind.SIGNED),
    STRING(7, "string", 0, Kind.OBJECT),
    C64(8, "complex64", 8, Kind.COMPLEX),
    I64(9, "int64", 8, Kind.SIGNED),
    BOOL(10, "bool", 1, Kind.BOOL),
    QI8(11, "qint8", 1, Kind.QUANTISED),
    QU8(12, "quint8", 1, Kind.QUANTISED),
    QI32(13, "qint32", 4, Kind.QUANTISED),
    BF16(14, "bfloat16", 2, Kind.FLOATING),
    QI16(15, "qint16", 2, Kind.QUANTISED),
    QU16(16, "quint16", 2, Kind.QUANTISED),
    U16(17, "uint16", 2, Kind.UNSIGNED),
    C128(18, "complex128", 16, Kind.COMPLEX),
    F16(19, "float16", 2, Kind.FLOATING),
    RESOURCE(20, "resource", 0, Kind.OBJECT),
    VARIANT(21, "variant", 0, Kind.OBJECT),
    U32(22, "uint32", 4, Kind.UNSIGNED),
    U64(23, "uint64", 8, Kind.UNSIGNED);

    private enum Kind {
        FLOATING,
        SIGNED,
        UNSIGNED,
        BOOL,
        COMPLEX,
        QUANTISED,
        OBJECT
    }

    private static final DType[] BY_NUMBER = new DType[24];

    static {
        for (DType d : values()) BY_NUMBER[d.number] = d;
    }

    private final int number;
    private final String tensorFlowName;
    private final int size;
    private final Kind kind;

    DType(int number, String tensorFlowName, int size, Kind kind) {
        this.number = number;
        this.tensorFlowName = tensorFlowName;
        this.size = size;
        this.kind = kind;
    }

    /** The value of TensorFlow's {@code DataType} enum; reference types are this plus 100. */
    public int number() {
        return number;
    }

    /** TensorFlow's Python name, such as {@code float32} or {@code bfloat16}. */
    public String tensorFlowName() {
        return tensorFlowName;
    }

    /** Bytes per element; 0 for strings, resources and variants, which are objects. */
    public int size() {
        return size;
    }

    public boolean isFloating() {
        return kind == Kind.FLOATING;
    }

    public boolean isComplex() {
        return kind == Kind.COMPLEX;
    }

    /** Signed or unsigned whole numbers; bool and quantised types are not integers. */
    public boolean isInteger() {
        return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
    }

    public boolean isUnsigned() {
        return kind == Kind.UNSIGNED;
    }

    /** Strings, resource handles and variants: elements are Java objects rather than bytes. */
    public boolean isObject() {
        return kind == Kind.OBJECT;
    }

    /** The type of the real part: F32 for C64, F64 for C128, else the type itself. */
    public DType real() {
        return this == C64 ? F32 : this == C128 ? F64 : this;
    }

    /** The integer type that stores a quantised type, else the type itself. */
    public DType storage() {
        return switch (this) {
            case QI8 -> I8;
            case QU8 -> U8;
            case QI16 -> I16;
            case QU16 -> U16;
            case QI32 -> I32;
            default -> this;
        };
    }

    /** The type with TensorFlow's number; a reference type (above 100) gives its element type. */
    public static DType ofNumber(int number) {
        int n = number > 100 ? number - 100 : number;
        DType d = n > 0 && n < BY_NUMBER.length ? BY_NUMBER[n] : null;
        if (d == null) throw new OxbowException(INVALID_ARGUMENT, "unknown dtype number " + number);
        return d;
    }

    /** The type with a name such as {@code float32}, {@code f32}, {@code half}, {@code DT_FLOAT} or {@code FLOAT}. */
    public static DType ofName(String name) {
        String n = name.startsWith("DT_") ? name.substring(3) : name;
        String lower = n.toLowerCase(Locale.ROOT);
        for (DType d : values()) {
            if (d.tensorFlowName.equals(lower) || d.toString().equals(lower)) return d;
        }
        return switch (lower) {
            case "float" -> F32;
            case "double" -> F64;
            case "half" -> F16;
            default -> throw new OxbowException(INVALID_ARGUMENT, "unknown dtype '" + name + "'");
        };
    }

    /** What TensorFlow's messages call it: {@code float}, {@code double} and {@code half}, else its name. */
    public String inWords() {
        return switch (this) {
            case F16 -> "half";
            case F32 -> "float";
            case F64 -> "double";
            default -> tensorFlowName;
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
