package dev.oxbow.testing.cuda;

import dev.oxbow.tensor.Half;
import dev.oxbow.testing.cuda.CudaLines.Type;
import dev.oxbow.testing.cuda.CudaLines.Value;
import java.util.List;

/** What operators and intrinsics of CUDA C do, after NVIDIA's documentation and not after the kernels under test. */
final class CudaArithmetic {
    private CudaArithmetic() {}

    static Value literal(String token) {
        String digits = token.replaceAll("(ull|ll|u)$", "");
        long bits = digits.startsWith("0x") ? Long.parseUnsignedLong(digits.substring(2), 16) : Long.parseLong(digits);
        if (token.endsWith("ull")) return new Value(Type.ULONG, bits);
        if (token.endsWith("ll")) return new Value(Type.LONG, bits);
        return token.endsWith("u") ? new Value(Type.UNSIGNED, bits) : Value.of((int) bits);
    }

    static Value negated(Value v) {
        return switch (v.type()) {
            case FLOAT -> new Value(Type.FLOAT, (int) v.bits() ^ Integer.MIN_VALUE);
            case DOUBLE -> new Value(Type.DOUBLE, v.bits() ^ Long.MIN_VALUE);
            default -> CudaLines.cast(v.type(), new Value(Type.LONG, -v.bits()));
        };
    }

    static Value binary(String op, Value a, Value b) {
        if (op.equals("<<") || op.equals(">>")) return shifted(op, a, b);
        Type t = CudaLines.common(a.type(), b.type());
        Value x = CudaLines.cast(t, a), y = CudaLines.cast(t, b);
        if (t == Type.FLOAT || t == Type.DOUBLE) return compared(op, x.d(), y.d());
        boolean unsigned = t == Type.UNSIGNED || t == Type.ULONG;
        long p = x.bits(), q = y.bits();
        int order = unsigned ? Long.compareUnsigned(p, q) : Long.compare(p, q);
        return switch (op) {
            case "<" -> truth(order < 0);
            case "<=" -> truth(order <= 0);
            case ">" -> truth(order > 0);
            case ">=" -> truth(order >= 0);
            case "==" -> truth(order == 0);
            case "!=" -> truth(order != 0);
            case "&" -> whole(t, p & q);
            case "|" -> whole(t, p | q);
            case "^" -> whole(t, p ^ q);
            // overflow of signed types is undefined in C, so generated text must not rely on it
            case "+" -> whole(t, unsigned ? p + q : Math.addExact(p, q));
            case "-" -> whole(t, unsigned ? p - q : Math.subtractExact(p, q));
            case "*" -> whole(t, unsigned ? p * q : Math.multiplyExact(p, q));
            case "/" -> whole(t, q == 0 ? 0 : unsigned ? Long.divideUnsigned(p, q) : p / q);
            case "%" -> whole(t, q == 0 ? 0 : unsigned ? Long.remainderUnsigned(p, q) : p % q);
            default -> throw new IllegalArgumentException(op);
        };
    }

    private static Value shifted(String op, Value a, Value b) {
        Type t = a.type() == Type.USHORT ? Type.INT : a.type();
        int width = t == Type.INT || t == Type.UNSIGNED ? 32 : 64;
        long count = b.bits();
        if (count < 0 || count >= width) throw new IllegalArgumentException("a shift by " + count + " is undefined");
        Value x = CudaLines.cast(t, a);
        if (op.equals("<<")) return whole(t, x.bits() << count);
        return whole(t, t == Type.ULONG ? x.bits() >>> count : x.bits() >> count);
    }

    private static Value whole(Type t, long bits) {
        return CudaLines.cast(t, new Value(t == Type.LONG ? Type.ULONG : Type.LONG, bits));
    }

    private static Value compared(String op, double p, double q) {
        return switch (op) {
            case "<" -> truth(p < q);
            case "<=" -> truth(p <= q);
            case ">" -> truth(p > q);
            case ">=" -> truth(p >= q);
            case "==" -> truth(p == q);
            case "!=" -> truth(p != q);
            default -> throw new IllegalArgumentException(op + " of floats would be contracted");
        };
    }

    private static Value truth(boolean b) {
        return Value.of(b ? 1 : 0);
    }

    static Value intrinsic(String name, List<Value> v) {
        Value a = v.get(0), b = v.size() > 1 ? v.get(1) : null, c = v.size() > 2 ? v.get(2) : null;
        return switch (name) {
            case "__fadd_rn" -> Value.of(a.f() + b.f());
            case "__fsub_rn" -> Value.of(a.f() - b.f());
            case "__fmul_rn" -> Value.of(a.f() * b.f());
            case "__fdiv_rn" -> Value.of(a.f() / b.f());
            case "__fsqrt_rn" -> Value.of((float) Math.sqrt(a.f()));
            case "__fmaf_rn" -> Value.of(Math.fma(a.f(), b.f(), c.f()));
            case "__dadd_rn" -> Value.of(a.d() + b.d());
            case "__dsub_rn" -> Value.of(a.d() - b.d());
            case "__dmul_rn" -> Value.of(a.d() * b.d());
            case "__ddiv_rn" -> Value.of(a.d() / b.d());
            case "__dsqrt_rn" -> Value.of(Math.sqrt(a.d()));
            case "__fma_rn" -> Value.of(Math.fma(a.d(), b.d(), c.d()));
            case "fmodf" -> Value.of(a.f() % b.f());
            case "fmod" -> Value.of(a.d() % b.d());
            case "fabsf" -> Value.of(Math.abs(a.f()));
            case "fabs" -> Value.of(Math.abs(a.d()));
            case "__int2float_rn" -> Value.of((float) (int) a.bits());
            case "__int2double_rn" -> Value.of((double) (int) a.bits());
            case "__ll2float_rn" -> Value.of((float) a.bits());
            case "__ll2double_rn" -> Value.of((double) a.bits());
            case "__double2float_rn" -> Value.of((float) a.d());
            // beyond the range they give its end; of NaN nothing is said, so generated text asks for it before
            case "__float2int_rz", "__double2int_rz" -> Value.of(Double.isNaN(a.d()) ? 0xbad : (int) a.d());
            case "__float2ll_rz", "__double2ll_rz" -> Value.of(Double.isNaN(a.d()) ? 0xbadL : (long) a.d());
            case "__int_as_float" -> new Value(Type.FLOAT, (int) a.bits());
            case "__float_as_int" -> Value.of((int) a.bits());
            case "__longlong_as_double" -> new Value(Type.DOUBLE, a.bits());
            case "__double_as_longlong" -> Value.of(a.bits());
            case "__popc" -> Value.of(Integer.bitCount((int) a.bits()));
            case "__popcll" -> Value.of(Long.bitCount(a.bits()));
            // min.NaN.f32 and max.NaN.f32: NaN when either is, and -0 below +0
            case "ox_min_f32" -> Value.of(Math.min(a.f(), b.f()));
            case "ox_max_f32" -> Value.of(Math.max(a.f(), b.f()));
            // cvt.f32.f16 and cvt.rn.f16.f32
            case "ox_from_f16" -> Value.of(Float.float16ToFloat((short) a.bits()));
            case "ox_to_bf16" -> new Value(Type.USHORT, Half.toBf16(a.f()) & 0xffff);
            case "ox_to_f16" -> new Value(Type.USHORT, Float.floatToFloat16(a.f()) & 0xffff);
            default -> throw new IllegalArgumentException("an intrinsic that nobody documents: " + name);
        };
    }
}
