package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;

/** Coordinates of the elements that are not zero. */
public final class Where {
    private Where() {}

    /** How many there are. */
    public static long count(Tensor x) {
        long count = 0;
        for (long i = 0; i < x.size(); i++) if (isSet(x, i)) count++;
        return count;
    }

    /** {@code y} of i64[count, rank] = their coordinates, row by row in order. */
    public static void coordinates(Tensor x, Tensor y) {
        int rank = x.shape().rank();
        long row = 0;
        for (long i = 0; i < x.size(); i++) {
            if (!isSet(x, i)) continue;
            long rest = i;
            for (int d = rank - 1; d >= 0; d--) {
                y.setLong(row * rank + d, rest % x.shape().dim(d));
                rest /= x.shape().dim(d);
            }
            row++;
        }
    }

    private static boolean isSet(Tensor x, long i) {
        if (x.dtype().isComplex()) return Matrix.real(x, i) != 0 || Matrix.imaginary(x, i) != 0;
        if (x.dtype() == DType.STRING) return ((byte[]) x.objects()[(int) i]).length != 0;
        return x.dtype().isFloating() ? x.getDouble(i) != 0 : x.getLong(i) != 0;
    }
}
