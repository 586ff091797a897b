package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** What a scatter does with an element that is there and one that comes: {@code target = target op source}. */
public enum Combine {
    /*
     * A scatter asks for one row at a time, often of a few elements, so what is called has to begin at once: there is a
     * plain loop for each dtype, and not a kernel that the expression compiler makes for whole arrays. Extremes differ from
     * the compiler's too: of a number and NaN the one that is there stays.
     */
    UPDATE,
    ADD,
    SUB,
    MUL,
    DIV,
    MIN,
    MAX;

    /** Combines n elements of {@code source} into {@code target}, both contiguous, by address. */
    public void apply(DType dtype, long target, long source, long n) {
        if (this == ADD && dtype == DType.F32) RowsF32.add(target, source, n);
        else if (this == SUB && dtype == DType.F32) RowsF32.subtract(target, source, n);
        else applyAny(dtype, target, source, n);
    }

    private void applyAny(DType dtype, long target, long source, long n) {
        int w = dtype.size();
        if (this == UPDATE) {
            Mover.bytes(w, source, w, target, w, n);
            return;
        }
        switch (dtype) {
            case F32 -> floats(target, source, n);
            case F64 -> {
                for (long i = 0; i < n; i++)
                    Memory.putDouble(
                            target + 8 * i, of(Memory.getDouble(target + 8 * i), Memory.getDouble(source + 8 * i)));
            }
            case F16 -> {
                for (long i = 0; i < n; i++) {
                    float a = Half.fromF16(Memory.getShort(target + 2 * i)),
                            b = Half.fromF16(Memory.getShort(source + 2 * i));
                    Memory.putShort(target + 2 * i, Half.toF16(of(a, b)));
                }
            }
            case BF16 -> {
                for (long i = 0; i < n; i++) {
                    float a = Half.fromBf16(Memory.getShort(target + 2 * i)),
                            b = Half.fromBf16(Memory.getShort(source + 2 * i));
                    Memory.putShort(target + 2 * i, Half.toBf16(of(a, b)));
                }
            }
            case BOOL -> {
                for (long i = 0; i < n; i++)
                    Memory.putByte(target + i, (byte) bool(Memory.getByte(target + i), Memory.getByte(source + i)));
            }
            case C64, C128 -> complex(dtype, target, source, n);
            case STRING, RESOURCE, VARIANT ->
                throw new OxbowException(UNIMPLEMENTED, "Scatter: no " + this + " of " + dtype);
            default -> integers(dtype, target, source, n);
        }
    }

    private void integers(DType dtype, long target, long source, long n) {
        switch (dtype) {
            case I64 -> {
                for (long i = 0; i < n; i++)
                    Memory.putLong(
                            target + 8 * i, of(Memory.getLong(target + 8 * i), Memory.getLong(source + 8 * i), false));
            }
            case U64 -> {
                for (long i = 0; i < n; i++)
                    Memory.putLong(
                            target + 8 * i, of(Memory.getLong(target + 8 * i), Memory.getLong(source + 8 * i), true));
            }
            case I32, QI32 -> {
                for (long i = 0; i < n; i++)
                    Memory.putInt(target + 4 * i, (int)
                            of(Memory.getInt(target + 4 * i), Memory.getInt(source + 4 * i), false));
            }
            case U32 -> {
                for (long i = 0; i < n; i++) {
                    long a = Integer.toUnsignedLong(Memory.getInt(target + 4 * i)),
                            b = Integer.toUnsignedLong(Memory.getInt(source + 4 * i));
                    Memory.putInt(target + 4 * i, (int) of(a, b, false));
                }
            }
            case I16, QI16 -> {
                for (long i = 0; i < n; i++)
                    Memory.putShort(target + 2 * i, (short)
                            of(Memory.getShort(target + 2 * i), Memory.getShort(source + 2 * i), false));
            }
            case U16, QU16 -> {
                for (long i = 0; i < n; i++) {
                    long a = Short.toUnsignedLong(Memory.getShort(target + 2 * i)),
                            b = Short.toUnsignedLong(Memory.getShort(source + 2 * i));
                    Memory.putShort(target + 2 * i, (short) of(a, b, false));
                }
            }
            case I8, QI8 -> {
                for (long i = 0; i < n; i++)
                    Memory.putByte(
                            target + i, (byte) of(Memory.getByte(target + i), Memory.getByte(source + i), false));
            }
            case U8, QU8 -> {
                for (long i = 0; i < n; i++) {
                    long a = Byte.toUnsignedLong(Memory.getByte(target + i)),
                            b = Byte.toUnsignedLong(Memory.getByte(source + i));
                    Memory.putByte(target + i, (byte) of(a, b, false));
                }
            }
            default -> throw new OxbowException(UNIMPLEMENTED, "Scatter: no " + this + " of " + dtype);
        }
    }

    /** Combines n objects; strings can be added, which appends. */
    void apply(Tensor target, long at, Tensor source, long from, long n) {
        Object[] to = target.objects();
        for (long i = 0; i < n; i++) {
            Object value = source.objects()[(int) (from + i)];
            if (this == UPDATE) Mover.put(to, (int) (at + i), value);
            else if (this == ADD && value instanceof byte[] b)
                to[(int) (at + i)] = append((byte[]) to[(int) (at + i)], b);
            else throw new OxbowException(UNIMPLEMENTED, "Scatter: no " + this + " of " + target.dtype());
        }
    }

    private static byte[] append(byte[] a, byte[] b) {
        if (a == null || a.length == 0) return b;
        byte[] joined = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, joined, a.length, b.length);
        return joined;
    }

    private void floats(long target, long source, long n) {
        for (long i = 0; i < n; i++)
            Memory.putFloat(target + 4 * i, of(Memory.getFloat(target + 4 * i), Memory.getFloat(source + 4 * i)));
    }

    private float of(float a, float b) {
        return switch (this) {
            case UPDATE -> b;
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MIN -> b < a ? b : a;
            case MAX -> b > a ? b : a;
        };
    }

    private double of(double a, double b) {
        return switch (this) {
            case UPDATE -> b;
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MIN -> b < a ? b : a;
            case MAX -> b > a ? b : a;
        };
    }

    private long of(long a, long b, boolean unsigned) {
        require(this != DIV || b != 0, INVALID_ARGUMENT, "Scatter: Integer division by zero");
        return switch (this) {
            case UPDATE -> b;
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> unsigned ? Long.divideUnsigned(a, b) : a / b;
            case MIN -> (unsigned ? Long.compareUnsigned(b, a) : Long.compare(b, a)) < 0 ? b : a;
            case MAX -> (unsigned ? Long.compareUnsigned(b, a) : Long.compare(b, a)) > 0 ? b : a;
        };
    }

    private int bool(byte a, byte b) {
        return switch (this) {
            case UPDATE -> b;
            case ADD, MAX -> a | b;
            case MUL, MIN -> a & b;
            case SUB, DIV -> throw new OxbowException(UNIMPLEMENTED, "Scatter: no " + this + " of bool");
        };
    }

    private void complex(DType dtype, long target, long source, long n) {
        for (long i = 0; i < n; i++) {
            double a = Complex.real(dtype, target, i), b = Complex.imaginary(dtype, target, i);
            double c = Complex.real(dtype, source, i), d = Complex.imaginary(dtype, source, i);
            switch (this) {
                case ADD -> Complex.put(dtype, target, i, a + c, b + d);
                case SUB -> Complex.put(dtype, target, i, a - c, b - d);
                case MUL -> Complex.put(dtype, target, i, a * c - b * d, a * d + b * c);
                case DIV -> {
                    double norm = c * c + d * d;
                    Complex.put(dtype, target, i, (a * c + b * d) / norm, (b * c - a * d) / norm);
                }
                case UPDATE, MIN, MAX ->
                    throw new OxbowException(UNIMPLEMENTED, "Scatter: no " + this + " of " + dtype);
            }
        }
    }

    /** Elements of complex arrays as doubles. */
    private static final class Complex {
        static double real(DType dtype, long at, long i) {
            return dtype == DType.C64 ? Memory.getFloat(at + 8 * i) : Memory.getDouble(at + 16 * i);
        }

        static double imaginary(DType dtype, long at, long i) {
            return dtype == DType.C64 ? Memory.getFloat(at + 8 * i + 4) : Memory.getDouble(at + 16 * i + 8);
        }

        static void put(DType dtype, long at, long i, double real, double imaginary) {
            if (dtype == DType.C64) {
                Memory.putFloat(at + 8 * i, (float) real);
                Memory.putFloat(at + 8 * i + 4, (float) imaginary);
            } else {
                Memory.putDouble(at + 16 * i, real);
                Memory.putDouble(at + 16 * i + 8, imaginary);
            }
        }
    }
}
