package dev.oxbow.testing.conformance;

import static dev.oxbow.tensor.DType.BOOL;
import static dev.oxbow.tensor.DType.STRING;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** How far a floating value may be from the recorded one: {@code |got - wanted| <= absolute + relative * |wanted|}. */
enum Tolerance {
    /** For values recorded as text with eight decimals. */
    DECIMALS,
    /** For values recorded bit by bit: by the precision of the dtype. */
    BITS;

    private double relative(DType dtype) {
        if (this == DECIMALS) return 1e-3;
        return switch (dtype) {
            case F64, C128 -> 1e-7;
            case F16 -> 1e-2;
            case BF16 -> 2e-2;
            default -> 1e-4;
        };
    }

    private double absolute(DType dtype) {
        return this == DECIMALS ? 1e-5 : relative(dtype);
    }

    /** Says how {@code got} differs from what was recorded; null when it does not. */
    String difference(Answer wanted, Tensor got) {
        if (got.dtype() != wanted.dtype()) return "dtype is " + got.describe() + ", wanted " + wanted;
        if (!got.shape().equals(wanted.shape())) return "shape is " + got.describe() + ", wanted " + wanted;
        if (wanted.tensor() == null) return null;
        long different = 0, first = -1;
        for (long i = 0; i < got.size(); i++) {
            if (!equal(wanted.tensor(), got, i)) {
                if (different++ == 0) first = i;
            }
        }
        if (different == 0) return null;
        return "%d of %d elements of %s differ; element %d is %s, wanted %s"
                .formatted(
                        different,
                        got.size(),
                        got.describe(),
                        first,
                        element(got, first),
                        element(wanted.tensor(), first));
    }

    private boolean equal(Tensor wanted, Tensor got, long i) {
        DType dtype = wanted.dtype();
        if (dtype == STRING) return Arrays.equals((byte[]) wanted.objects()[(int) i], (byte[]) got.objects()[(int) i]);
        if (dtype.isFloating()) return near(dtype, wanted.getDouble(i), got.getDouble(i));
        if (dtype.isComplex()) {
            double a = part(wanted, 2 * i), b = part(wanted, 2 * i + 1), x = part(got, 2 * i), y = part(got, 2 * i + 1);
            if (a == x && b == y) return true;
            boolean noNumber = Double.isNaN(a) || Double.isNaN(b);
            if (noNumber || Double.isNaN(x) || Double.isNaN(y)) {
                return noNumber && (Double.isNaN(x) || Double.isNaN(y));
            }
            double size = Math.hypot(a, b);
            return Double.isFinite(size) && Math.hypot(x - a, y - b) <= absolute(dtype) + relative(dtype) * size;
        }
        long a = wanted.getLong(i), b = got.getLong(i);
        // text recordings went through doubles, so whole numbers beyond 2^53 lost their last bits there
        return a == b || this == DECIMALS && Math.abs(a) > 1L << 53 && (double) a == (double) b;
    }

    private boolean near(DType dtype, double wanted, double got) {
        if (wanted == got || Double.isNaN(wanted) && Double.isNaN(got)) return true;
        return Double.isFinite(wanted)
                && Math.abs(got - wanted) <= absolute(dtype) + relative(dtype) * Math.abs(wanted);
    }

    /** Real and imaginary parts of a complex tensor, in turn. */
    private static double part(Tensor t, long i) {
        return t.dtype() == DType.C64 ? Memory.getFloat(t.address() + 4 * i) : Memory.getDouble(t.address() + 8 * i);
    }

    private static String element(Tensor t, long i) {
        DType dtype = t.dtype();
        if (dtype == STRING) return "'" + new String((byte[]) t.objects()[(int) i], StandardCharsets.ISO_8859_1) + "'";
        if (dtype.isFloating()) return Double.toString(t.getDouble(i));
        if (dtype.isComplex()) return "(" + part(t, 2 * i) + ", " + part(t, 2 * i + 1) + ")";
        if (dtype == BOOL) return Boolean.toString(t.getLong(i) != 0);
        return dtype == DType.U64 ? Long.toUnsignedString(t.getLong(i)) : Long.toString(t.getLong(i));
    }
}
