package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Joining tensors along an axis, and cutting them apart again. */
public final class Concat {
    private static final long BYTES_PER_TASK = 1 << 18;

    private Concat() {}

    /** {@code y} = the inputs one after the other along {@code axis}; empty inputs of any rank add nothing. */
    public static void join(List<Tensor> inputs, int axis, Tensor y, Parallel parallel) {
        if (y.size() == 0) return;
        long outer = y.shape().size(0, axis), row = y.size() / outer, longest = 0;
        long[] at = new long[inputs.size() + 1];
        for (int i = 0; i < inputs.size(); i++) {
            long part = inputs.get(i).size() / outer;
            at[i + 1] = at[i] + part;
            longest = Math.max(longest, part);
        }
        each(inputs.size(), longest, outer, y, parallel, (i, p) -> {
            long part = at[i + 1] - at[i];
            rows(inputs.get(i), 0, part, y, at[i], row, part, outer, p);
        });
    }

    /** The outputs are consecutive parts of {@code x} along {@code axis}, as long as their own shapes say. */
    public static void split(Tensor x, int axis, List<Tensor> outputs, Parallel parallel) {
        if (x.size() == 0) return;
        long outer = x.shape().size(0, axis), row = x.size() / outer, at = 0;
        for (int i = 0; i < outputs.size(); i++) {
            Tensor y = outputs.get(i);
            long part = y.size() / outer;
            rows(x, at, row, y, 0, part, part, outer, parallel);
            at += part;
        }
    }

    /** {@code y} = equal-shaped inputs along a new {@code axis}. */
    public static void pack(List<Tensor> inputs, int axis, Tensor y, Parallel parallel) {
        if (y.size() == 0) return;
        long outer = y.shape().size(0, axis), row = y.size() / outer, part = row / inputs.size();
        each(inputs.size(), part, outer, y, parallel, (i, p) -> {
            rows(inputs.get(i), 0, part, y, i * part, row, part, outer, p);
        });
    }

    /** The outputs are the slices of {@code x} along {@code axis}, without that axis. */
    public static void unpack(Tensor x, int axis, List<Tensor> outputs, Parallel parallel) {
        if (x.size() == 0) return;
        long outer = x.shape().size(0, axis), row = x.size() / outer, part = row / outputs.size();
        each(outputs.size(), part, outer, x, parallel, (i, p) -> {
            rows(x, i * part, row, outputs.get(i), 0, part, part, outer, p);
        });
    }

    private interface Part {
        void move(int i, Parallel parallel);
    }

    /**
     * Moves parts of at most {@code part} elements; threads share them out where each is one run of memory, too short to
     * be shared itself.
     */
    private static void each(int count, long part, long outer, Tensor whole, Parallel parallel, Part task) {
        long bytes = part * whole.dtype().size();
        if (outer > 1 || whole.dtype().isObject() || bytes > BYTES_PER_TASK) {
            for (int i = 0; i < count; i++) task.move(i, parallel);
            return;
        }
        long grain = Math.max(1, BYTES_PER_TASK / Math.max(1, bytes));
        parallel.run(count, grain, (from, to) -> {
            for (long i = from; i < to; i++) task.move((int) i, Parallel.SERIAL);
        });
    }

    /** Copies {@code count} rows of n elements; offsets and steps count elements. */
    private static void rows(
            Tensor x, long fromAt, long fromStep, Tensor y, long at, long step, long n, long count, Parallel parallel) {
        if (n == 0) return;
        if (x.dtype().isObject()) {
            Mover mover = Mover.between(x, y);
            for (long i = 0; i < count; i++) mover.move(fromAt + i * fromStep, 1, at + i * step, 1, n);
            return;
        }
        int w = x.dtype().size();
        Mover.rows(x.address() + fromAt * w, fromStep * w, y.address() + at * w, step * w, n * w, count, parallel);
    }
}
