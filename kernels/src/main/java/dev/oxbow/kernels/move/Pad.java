package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/**
 * Padding by a constant or by mirroring, {@code before[d]} elements ahead of and {@code after[d]} behind each
 * dimension.
 */
public final class Pad {
    private Pad() {}

    /** Border elements are the scalar {@code value}. */
    public static void constant(Tensor x, long[] before, Tensor value, Tensor y, Parallel parallel) {
        if (y.size() == 0) return;
        if (y.dtype().isObject() || x.size() == 0 || y.size() == x.size()) {
            if (y.size() != x.size()) Broadcast.fill(value, y, parallel);
            copyMiddle(x, before, y, parallel);
            return;
        }
        lines(x, before, value.address(), y, parallel);
    }

    /** Line by line along the last dimension with a border, so that every element is written once. */
    private static void lines(Tensor x, long[] before, long value, Tensor y, Parallel parallel) {
        long[] in = x.shape().dims(), out = y.shape().dims(), strides = Strided.strides(in);
        int last = out.length - 1;
        while (in[last] == out[last]) last--;
        int d = last, w = x.dtype().size();
        long inner = y.shape().size(d + 1, out.length), line = out[d] * inner, rows = y.size() / line;
        long left = before[d] * inner, middle = in[d] * inner, from = x.address(), to = y.address();
        parallel.run(rows, Math.max(1, Mover.SMALL / (line * w)), (first, end) -> {
            for (long row = first; row < end; row++) {
                long at = 0, rest = row, target = to + row * line * w;
                boolean inside = true;
                for (int k = d - 1; k >= 0; k--) {
                    long i = rest % out[k] - before[k];
                    rest /= out[k];
                    inside &= i >= 0 && i < in[k];
                    at += i * strides[k];
                }
                if (!inside) {
                    Mover.bytes(w, value, 0, target, w, line);
                } else {
                    Mover.bytes(w, value, 0, target, w, left);
                    Mover.bytes(w, from + at * w, w, target + left * w, w, middle);
                    Mover.bytes(w, value, 0, target + (left + middle) * w, w, line - left - middle);
                }
            }
        });
    }

    /**
     * Border elements mirror the inside; {@code offset} is 1 to leave the edge out (REFLECT), 0 to repeat it
     * (SYMMETRIC).
     */
    public static void mirror(Tensor x, long[] before, int offset, Tensor y, Parallel parallel) {
        copyMiddle(x, before, y, parallel);
        long[] dims = y.shape().dims(),
                strides = Strided.strides(dims),
                size = x.shape().dims();
        long at = 0;
        for (int d = 0; d < dims.length; d++) at += before[d] * strides[d];
        for (int d = 0; d < dims.length; d++) {
            // Dimensions before d are whole by now, those after it are still the middle only.
            long n = size[d], right = dims[d] - before[d] - n;
            long[] from = strides.clone();
            from[d] = -from[d];
            size[d] = before[d];
            Strided.copy(
                    y,
                    at + (before[d] - 1 + offset) * strides[d],
                    from,
                    y,
                    at - before[d] * strides[d],
                    strides,
                    size,
                    parallel);
            size[d] = right;
            Strided.copy(y, at + (n - 1 - offset) * strides[d], from, y, at + n * strides[d], strides, size, parallel);
            at -= before[d] * strides[d];
            size[d] = dims[d];
        }
    }

    /** The gradient of {@link #mirror}: {@code dx} = the middle of {@code dy} plus what its border mirrors. */
    public static void mirrorGradient(
            Tensor dy, long[] before, int offset, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (dx.size() == 0) return;
        long[] dims = dy.shape().dims(),
                strides = Strided.strides(dims),
                size = dims.clone(),
                inner = dx.shape().dims();
        Tensor sum = pool.tensor(dy.dtype(), dy.shape(), "MirrorPadGrad");
        try {
            Broadcast.run(dy, sum, parallel);
            long at = 0;
            for (int d = dims.length - 1; d >= 0; d--) {
                long n = inner[d], left = before[d], right = dims[d] - left - n;
                size[d] = left;
                add(sum, at + (left - 1) * strides[d], d, at + (left + offset) * strides[d], strides, size);
                size[d] = right;
                add(sum, at + (left + n) * strides[d], d, at + (left + n - 1 - offset) * strides[d], strides, size);
                at += left * strides[d];
                size[d] = n;
            }
            Strided.copy(sum, at, strides, dx, 0, Strided.strides(inner), inner, parallel);
        } finally {
            sum.release();
        }
    }

    /** Adds the box at {@code from} to the one at {@code to}, the two walking dimension d in opposite directions. */
    private static void add(Tensor t, long from, int d, long to, long[] strides, long[] size) {
        long n = size[d];
        long[] rest = size.clone();
        rest[d] = 1;
        int r = rest.length;
        boolean leftwards = from < to;
        for (long i = 0; i < n; i++) {
            long f = from + (leftwards ? -i : i) * strides[d], g = to + (leftwards ? i : -i) * strides[d];
            addBox(t, f, g, strides, rest, 0, r);
        }
    }

    private static void addBox(Tensor t, long from, long to, long[] strides, long[] size, int d, int rank) {
        if (d == rank - 1 || rank == 0) {
            int w = t.dtype().size();
            long n = rank == 0 ? 1 : size[d];
            Combine.ADD.apply(t.dtype(), t.address() + to * w, t.address() + from * w, n);
            return;
        }
        for (long i = 0; i < size[d]; i++)
            addBox(t, from + i * strides[d], to + i * strides[d], strides, size, d + 1, rank);
    }

    private static void copyMiddle(Tensor x, long[] before, Tensor y, Parallel parallel) {
        long[] dims = x.shape().dims(), strides = Strided.strides(y.shape().dims());
        long at = 0;
        for (int d = 0; d < dims.length; d++) at += before[d] * strides[d];
        Strided.copy(x, 0, Strided.strides(dims), y, at, strides, dims, parallel);
    }
}
