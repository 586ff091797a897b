package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/**
 * The k largest elements of each row (the last dimension), largest first; of equal elements the one that comes first.
 */
public final class TopK {
    private TopK() {}

    /** {@code values} and {@code indices} have rows of k. */
    public static void run(Tensor x, Tensor values, Tensor indices, Parallel parallel) {
        int n = Counts.toInt(x.shape().dim(-1)),
                k = Counts.toInt(values.shape().dim(-1)),
                w = x.dtype().size();
        if (k == 0 || x.size() == 0) return;
        parallel.run(x.size() / n, Math.max(1, (1 << 12) / n), (from, to) -> {
            Heap heap = new Heap(k);
            for (long row = from; row < to; row++) {
                heap.size = 0;
                if (x.dtype() == DType.F32) offer(heap, x.address() + 4 * row * n, n);
                else for (int i = 0; i < n; i++) heap.offer(Keys.ordered(x, row * n + i), i);
                for (int j = k - 1; j >= 0; j--) {
                    int i = heap.removeWorst();
                    indices.setLong(row * k + j, i);
                    Memory.copy(x.address() + (row * n + i) * w, values.address() + (row * k + j) * w, w);
                }
            }
        });
    }

    /** Offers n floats under the keys of {@link Keys}; most are settled by one comparison. */
    private static void offer(Heap heap, long x, int n) {
        int i = 0;
        for (; i < n && heap.size < heap.keys.length; i++) heap.offer(key(Memory.getFloat(x + 4L * i)), i);
        long worst = heap.keys[0];
        for (; i < n; i++) {
            int key = key(Memory.getFloat(x + 4L * i));
            if (key <= worst) continue;
            heap.offer(key, i);
            worst = heap.keys[0];
        }
    }

    private static int key(float x) {
        int bits = Float.floatToIntBits(x + 0f); // the sum of a negative zero is a positive one
        return bits ^ (bits >> 31 & Integer.MAX_VALUE);
    }

    /** Whether class {@code target} is among the k largest predictions of a row: fewer than k are strictly larger. */
    public static boolean contains(Tensor predictions, long row, long target, long k) {
        long n = predictions.shape().dim(-1);
        if (target < 0 || target >= n) return false;
        double p = predictions.getDouble(row * n + target);
        if (!Double.isFinite(p)) return false;
        long larger = 0;
        for (long i = row * n; i < (row + 1) * n; i++) {
            double q = predictions.getDouble(i);
            if (!Double.isFinite(q)) return false;
            if (q > p) larger++;
        }
        return larger < k;
    }

    /** The best k so far, worst at the root. */
    private static final class Heap {
        final long[] keys;
        final int[] positions;
        int size;

        Heap(int k) {
            keys = new long[k];
            positions = new int[k];
        }

        void offer(long key, int position) {
            if (size < keys.length) {
                keys[size] = key;
                positions[size] = position;
                int i = size++;
                for (; i > 0 && worse(i, (i - 1) / 2); i = (i - 1) / 2) swap(i, (i - 1) / 2);
            } else if (key > keys[0]) {
                keys[0] = key;
                positions[0] = position;
                sink();
            }
        }

        int removeWorst() {
            int position = positions[0];
            swap(0, --size);
            sink();
            return position;
        }

        private void sink() {
            for (int i = 0; ; ) {
                int child = 2 * i + 1;
                if (child >= size) return;
                if (child + 1 < size && worse(child + 1, child)) child++;
                if (!worse(child, i)) return;
                swap(i, child);
                i = child;
            }
        }

        private boolean worse(int i, int j) {
            return keys[i] != keys[j] ? keys[i] < keys[j] : positions[i] > positions[j];
        }

        private void swap(int i, int j) {
            long k = keys[i];
            keys[i] = keys[j];
            keys[j] = k;
            int p = positions[i];
            positions[i] = positions[j];
            positions[j] = p;
        }
    }
}
