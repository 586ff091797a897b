package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Different slices along an axis in the order in which they first occur. */
public final class Unique {

    /** Where each different slice first is, which of them each slice is, and how often each occurs. */
    public record Result(int[] first, int[] index, int[] counts) {}

    private Unique() {}

    /** Compares elements by value: both zeros are equal, NaN equals nothing. */
    public static Result run(Tensor x, int axis) {
        int n = Counts.toInt(x.shape().rank() == 0 ? 1 : x.shape().dim(axis));
        int[] first = new int[n], index = new int[n], counts = new int[n];
        int found = 0;
        Map<Object, Integer> seen = new HashMap<>();
        for (int i = 0; i < n; i++) {
            Object key = key(x, axis, i, n);
            Integer known = key == null ? null : seen.get(key);
            if (known == null) {
                known = found;
                first[found++] = i;
                if (key != null) seen.put(key, known);
            }
            index[i] = known;
            counts[known]++;
        }
        return new Result(Arrays.copyOf(first, found), index, Arrays.copyOf(counts, found));
    }

    /** What equal slices share; null for a slice with a NaN. */
    private static Object key(Tensor x, int axis, int i, int n) {
        long outer = x.shape().size(0, axis),
                inner =
                        x.shape().rank() == 0
                                ? 1
                                : x.shape().size(axis + 1, x.shape().rank());
        if (outer == 1 && inner == 1 && !x.dtype().isObject() && !x.dtype().isComplex()) {
            return Keys.isNaN(x, i) ? null : (Object) Keys.ordered(x, i);
        }
        if (x.dtype() == DType.STRING && outer == 1 && inner == 1) return ByteBuffer.wrap((byte[]) x.objects()[i]);
        Object[] parts = new Object[Counts.toInt(outer * inner)];
        int p = 0;
        for (long o = 0; o < outer; o++) {
            for (long r = 0; r < inner; r++) {
                Object part = element(x, (o * n + i) * inner + r);
                if (part == null) return null;
                parts[p++] = part;
            }
        }
        return Arrays.asList(parts);
    }

    private static Object element(Tensor x, long i) {
        if (x.dtype() == DType.STRING) return ByteBuffer.wrap((byte[]) x.objects()[(int) i]);
        if (x.dtype().isComplex()) {
            int w = x.dtype().real().size();
            double re = Gemm.get(w, x.address(), 2 * i) + 0.0, im = Gemm.get(w, x.address(), 2 * i + 1) + 0.0;
            return Double.isNaN(re) || Double.isNaN(im) ? null : Arrays.asList(re, im);
        }
        return Keys.isNaN(x, i) ? null : (Object) Keys.ordered(x, i);
    }

    /** {@code y} = the different slices. */
    public static void values(Tensor x, int axis, Result result, Tensor y) {
        if (x.dtype().isObject()) {
            for (int k = 0; k < result.first.length; k++) y.objects()[k] = x.objects()[result.first[k]];
            return;
        }
        long w = x.dtype().size(), outer = x.shape().size(0, axis), n = result.index.length, m = result.first.length;
        long inner =
                x.shape().rank() == 0 ? 1 : x.shape().size(axis + 1, x.shape().rank());
        for (long o = 0; o < outer; o++) {
            for (int k = 0; k < m; k++) {
                Memory.copy(
                        x.address() + (o * n + result.first[k]) * inner * w,
                        y.address() + (o * m + k) * inner * w,
                        inner * w);
            }
        }
    }
}
