package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * What the top-k ops share: the k greatest elements of each row, greatest first, of equal ones the first. Unsorted ones
 * come as TensorFlow's heap leaves them.
 */
final class TopElements {
    private TopElements() {}

    static List<TensorType> infer(InferenceContext c, long k, DType index) {
        Shape x = c.shape(0);
        Arguments.atLeast("input", x, 1);
        require(k >= -1, INVALID_ARGUMENT, "Need k >= 0, got %d", k);
        if (!x.isRankKnown()) return List.of(c.input(0), TensorType.of(index));
        require(
                k < 0 || x.dim(-1) < 0 || x.dim(-1) >= k,
                INVALID_ARGUMENT,
                "input must have at least k columns. Had %d, needed %d",
                x.dim(-1),
                k);
        Shape y = x.withDim(-1, k);
        return List.of(c.input(0).withShape(y), new TensorType(index, y));
    }

    static void run(KernelContext c, boolean sorted) {
        Tensor x = c.input(0), values = c.output(0), indices = c.output(1);
        if (values.size() == 0) return;
        long n = x.shape().dim(-1), k = values.shape().dim(-1), rows = x.size() / n;
        c.parallel().run(rows, Math.max(1, 4096 / n), (from, to) -> {
            for (long row = from; row < to; row++) {
                long[] order = sorted || k == 1 || k == n ? order(x, row * n, n, k) : new Heap(x, row * n, n, k).slots;
                for (int j = 0; j < k; j++) indices.setLong(row * k + j, order[j]);
                copy(x, row * n, order, values, row * k, k);
            }
        });
    }

    private static void copy(Tensor x, long at, long[] order, Tensor y, long to, long k) {
        int w = x.dtype().size();
        for (int j = 0; j < k; j++) Memory.copy(x.address() + (at + order[j]) * w, y.address() + (to + j) * w, w);
    }

    /** The positions of the k greatest of n elements, by a heap whose top is the worst that is kept. */
    private static long[] order(Tensor x, long at, long n, long k) {
        Comparator<Long> worstFirst = (a, b) -> {
            int byValue = compare(x, at + a, at + b);
            return byValue != 0 ? byValue : Long.compare(b, a);
        };
        PriorityQueue<Long> kept = new PriorityQueue<>(Counts.toInt(Math.max(1, k)), worstFirst);
        for (long i = 0; i < n; i++) {
            if (kept.size() < k) {
                kept.add(i);
            } else if (k > 0 && worstFirst.compare(i, kept.peek()) > 0) {
                kept.poll();
                kept.add(i);
            }
        }
        long[] order = new long[(int) k];
        for (int j = (int) k - 1; j >= 0; j--) order[j] = kept.poll();
        return order;
    }

    /**
     * The best of a row in the order in which they lie in a heap with the worst on top, made of the first k + 1: that one
     * goes for each that is better. Sifting is that of C++'s usual library: a hole sinks to the bottom before the value
     * rises from there.
     */
    private static final class Heap {
        private final Tensor x;
        private final long at;
        private final long[] slots;

        Heap(Tensor x, long at, long n, long k) {
            this.x = x;
            this.at = at;
            int size = Counts.toInt(k);
            slots = new long[size + 1];
            for (int i = 0; i <= size; i++) slots[i] = i;
            for (int i = (size - 1) / 2; i >= 0; i--) sink(i, size + 1, slots[i]);
            pop(size);
            for (long i = size + 1; i < n; i++) {
                if (!isBefore(i, slots[0])) continue;
                pop(size - 1);
                rise(size - 1, 0, i);
            }
        }

        /** Moves the worst behind the others, to {@code last}. */
        private void pop(int last) {
            long value = slots[last];
            slots[last] = slots[0];
            sink(0, last, value);
        }

        private void sink(int top, int length, long value) {
            int hole = top;
            while (hole < (length - 1) / 2) {
                int child = 2 * hole + 2;
                if (isBefore(slots[child], slots[child - 1])) child--;
                slots[hole] = slots[child];
                hole = child;
            }
            if (length % 2 == 0 && hole == (length - 2) / 2) {
                slots[hole] = slots[2 * hole + 1];
                hole = 2 * hole + 1;
            }
            rise(hole, top, value);
        }

        private void rise(int from, int top, long value) {
            int hole = from;
            while (hole > top && isBefore(slots[(hole - 1) / 2], value)) {
                slots[hole] = slots[(hole - 1) / 2];
                hole = (hole - 1) / 2;
            }
            slots[hole] = value;
        }

        private boolean isBefore(long a, long b) {
            int byValue = compare(x, at + a, at + b);
            return byValue != 0 ? byValue > 0 : a < b;
        }
    }

    /** The order of two elements. */
    static int compare(Tensor x, long i, long j) {
        if (x.dtype().isFloating()) return Double.compare(x.getDouble(i) + 0.0, x.getDouble(j) + 0.0);
        long a = x.getLong(i), b = x.getLong(j);
        return x.dtype() == DType.U64 ? Long.compareUnsigned(a, b) : Long.compare(a, b);
    }

    /** Zeros in the shape of x with dy at the indices. */
    static Value gradient(GradientContext g) {
        Ops ops = g.ops();
        Value x = g.input(0), shape = x.runtimeShape();
        Value zero = ops.constant(DType.I32, 0), minusOne = ops.constant(DType.I32, -1);
        Value indices = g.output(1).cast(DType.I32);
        Value k = indices.runtimeShape().gather(indices.runtimeRank().plus(minusOne), 0);
        Value n = shape.gather(x.runtimeRank().plus(minusOne), 0);
        Value flat = indices.reshape(Value.apply(new Pack(0), minusOne, k));
        Value rows = Gathers.firstDim(flat);
        Value start = Value.apply(new Range(), zero, rows.times(n), n).reshape(-1, 1);
        Value positions = flat.plus(start).reshape(-1, 1);
        Value size = x.runtimeSize().reshape(1);
        return Value.apply(new ScatterNd(), positions, g.gradient(0).reshape(-1), size)
                .reshape(shape);
    }
}
