package dev.oxbow.ops.array;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Elements or rows of a tensor as objects that are equal when the values are. */
final class Keys {
    private Keys() {}

    /** Element {@code i}: numbers compare by value, so that 0 is -0 and NaN is unlike anything. */
    static Object of(Tensor t, long i) {
        if (t.dtype().isObject()) {
            Object o = t.objects()[(int) i];
            return o instanceof byte[] b ? ByteBuffer.wrap(b) : o;
        }
        if (t.dtype().isFloating()) {
            double v = t.getDouble(i);
            return v != v ? new Object() : (Object) (v == 0 ? 0.0 : v);
        }
        if (t.dtype().isComplex()) return ByteBuffer.wrap(row(t, i, 1));
        return t.getLong(i);
    }

    /** Slice {@code i} of the middle dimension of a tensor seen as [outer, n, inner]. */
    static Object slice(Tensor t, long outer, long n, long inner, long i) {
        if (outer == 1 && inner == 1) return of(t, i);
        if (inner == 0) return List.of();
        List<Object> parts = new ArrayList<>();
        for (long o = 0; o < outer; o++) {
            long at = (o * n + i) * inner;
            if (t.dtype().isObject()) for (long j = 0; j < inner; j++) parts.add(of(t, at + j));
            else parts.add(ByteBuffer.wrap(row(t, at, inner)));
        }
        return parts;
    }

    private static byte[] row(Tensor t, long at, long n) {
        int w = t.dtype().size();
        byte[] bytes = new byte[Counts.toInt(n * w)];
        for (int j = 0; j < bytes.length; j++) bytes[j] = Memory.getByte(t.address() + at * w + j);
        return bytes;
    }
}
