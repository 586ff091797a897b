package dev.oxbow.ops.queue;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The tuples of a queue by priority, see {@link TupleStore#byPriority}. */
final class PriorityStore implements TupleStore {
    private final List<Tensor[]> heap = new ArrayList<>();

    @Override
    public boolean takesTogether() {
        return true;
    }

    @Override
    public int size() {
        return heap.size();
    }

    @Override
    public void add(Tensor[] tuple) {
        heap.add(tuple);
        rise(heap.size() - 1, tuple);
    }

    @Override
    public Tensor[] take() {
        Tensor[] first = heap.get(0), last = heap.removeLast();
        if (!heap.isEmpty()) rise(sink(), last);
        return first;
    }

    @Override
    public void putBack(List<Tensor[]> taken) {
        taken.forEach(this::add);
    }

    private void rise(int hole, Tensor[] tuple) {
        int at = hole;
        while (at > 0 && priority((at - 1) / 2) > tuple[0].getLong(0)) {
            heap.set(at, heap.get((at - 1) / 2));
            at = (at - 1) / 2;
        }
        heap.set(at, tuple);
    }

    /** Moves the hole at the top down along the smaller children to the bottom, and says where it ends. */
    private int sink() {
        int hole = 0, n = heap.size();
        while (2 * hole + 2 < n) {
            int child = 2 * hole + 2;
            if (priority(child) > priority(child - 1)) child--;
            heap.set(hole, heap.get(child));
            hole = child;
        }
        if (2 * hole + 1 < n) {
            heap.set(hole, heap.get(2 * hole + 1));
            hole = 2 * hole + 1;
        }
        return hole;
    }

    private long priority(int i) {
        return heap.get(i)[0].getLong(0);
    }
}
