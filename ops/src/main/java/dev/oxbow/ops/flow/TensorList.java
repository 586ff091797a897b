package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Summable;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.concurrent.atomic.AtomicInteger;

/** A list of tensors inside a variant. It never changes: every operation makes another list, sharing what it can. */
public final class TensorList implements Summable {

    /*
     * Lists that grew out of each other share one store: a list of size n is the first n items of its store, and
     * pushing onto the longest list of a store adds an item in place. So n pushes and n pops, as a loop and its
     * gradient do, cost O(n). Any other change copies the references.
     */

    private static final class Store {
        private Tensor[] items;
        private int used;
        private int holders = 1;

        Store(Tensor[] items, int used) {
            this.items = items;
            this.used = used;
        }

        synchronized void hold() {
            holders++;
        }

        synchronized void drop() {
            if (--holders > 0) return;
            for (int i = 0; i < used; i++) if (items[i] != null) items[i].release();
        }

        /** Adds an item behind the first {@code size} if those are all; false if the place is taken. */
        synchronized boolean append(int size, Tensor item) {
            if (used != size) return false;
            if (used == items.length) {
                Tensor[] longer = Counts.array(Math.max(8, 2L * used), Tensor[]::new);
                System.arraycopy(items, 0, longer, 0, used);
                items = longer;
            }
            items[used++] = item;
            holders++;
            return true;
        }

        synchronized Tensor item(int i) {
            return items[i];
        }

        /** References to the first {@code n} items, in an array with room for {@code room}. */
        synchronized Tensor[] copy(int n, long room) {
            Tensor[] copy = Counts.array(room, Tensor[]::new);
            System.arraycopy(items, 0, copy, 0, n);
            for (Tensor t : copy) if (t != null) t.retain();
            return copy;
        }
    }

    private final Store store;
    private final int size;
    private final DType dtype;
    private final Shape elementShape;
    private final int limit;
    private final AtomicInteger references = new AtomicInteger(1);

    private TensorList(Store store, int size, DType dtype, Shape elementShape, int limit) {
        this.store = store;
        this.size = size;
        this.dtype = dtype;
        this.elementShape = elementShape;
        this.limit = limit;
    }

    /** A list of these items, taking over a reference to each; a null item is not set yet. {@code limit} -1 is none. */
    static TensorList of(DType dtype, Shape elementShape, int limit, Tensor... items) {
        return new TensorList(new Store(items, items.length), items.length, dtype, elementShape, limit);
    }

    DType dtype() {
        return dtype;
    }

    Shape elementShape() {
        return elementShape;
    }

    int size() {
        return size;
    }

    /** The largest size that pushing may reach; -1 for none. */
    int limit() {
        return limit;
    }

    /** Item {@code i}, borrowed; null when it is not set. */
    Tensor item(int i) {
        return store.item(i);
    }

    /** This list and one item more, whose reference it takes over. */
    TensorList with(Tensor item) {
        if (store.append(size, item)) return new TensorList(store, size + 1, dtype, elementShape, limit);
        Tensor[] items = store.copy(size, size + 1L);
        items[size] = item;
        return of(dtype, elementShape, limit, items);
    }

    /** The first {@code n} items. */
    TensorList first(int n) {
        store.hold();
        return new TensorList(store, n, dtype, elementShape, limit);
    }

    /** References to the first items, as an array of length {@code n} padded with null. */
    Tensor[] items(long n) {
        return store.copy((int) Math.min(n, size), n);
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        if (references.decrementAndGet() == 0) store.drop();
    }

    @Override
    public Summable plus(Summable other, KernelContext c) {
        require(other instanceof TensorList, INVALID_ARGUMENT, "a list and something else cannot be added");
        TensorList o = (TensorList) other;
        require(
                dtype == o.dtype,
                INVALID_ARGUMENT,
                "Trying to add two lists of tensors of different dtypes. One is %s and the other is %s",
                dtype,
                o.dtype);
        require(
                size == o.size,
                INVALID_ARGUMENT,
                "Trying to add two lists of tensors with different lengths. One is %d and the other is %d",
                size,
                o.size);
        Shape shape = elementShape.merge(o.elementShape);
        require(
                shape != null,
                INVALID_ARGUMENT,
                "Trying to add two lists of tensors with incompatible element shapes. One is %s and the other is %s",
                elementShape,
                o.elementShape);
        Tensor[] sums = Counts.array(size, Tensor[]::new);
        for (int i = 0; i < size; i++) {
            Tensor a = item(i), b = o.item(i);
            sums[i] = a == null ? b == null ? null : b.retain() : b == null ? a.retain() : Variants.sum(a, b, c);
        }
        return of(dtype, shape, -1, sums);
    }

    /** Items that are not set are zeros of the list's element shape; only where that is not known zeros are written out. */
    @Override
    public Summable zero(KernelContext c) {
        Tensor[] zeros = Counts.array(size, Tensor[]::new);
        boolean unset = dtype != DType.VARIANT && elementShape.isFullyKnown();
        for (int i = 0; i < size; i++) zeros[i] = unset || item(i) == null ? null : Variants.zeros(item(i), c);
        return of(dtype, elementShape, limit, zeros);
    }
}
