package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** An array of tensors for the length of a step, each written once; a gradient array adds what is written again. */
final class TensorArrayResource implements Resource {

    /** One element; its shape is known once it was written, or from the array whose gradient this is. */
    private static final class Item {
        private Tensor value;
        private Shape shape = Shape.UNKNOWN;
        private boolean written;
        private boolean read;
        private boolean cleared;
    }

    /** Each has an object on the heap, written or not. */
    private static final int MOST_ITEMS = 1 << 22;

    private final String name;
    private final DType dtype;
    private final boolean clearAfterRead;
    private final boolean identicalShapes;
    private final boolean adds;
    private final List<Item> items = new ArrayList<>();
    private Shape elementShape;
    private int marked = -1;
    private boolean dynamic;
    private boolean closed;

    TensorArrayResource(
            String name,
            DType dtype,
            int size,
            Shape elementShape,
            boolean dynamic,
            boolean clearAfterRead,
            boolean identicalShapes) {
        this(name, dtype, elementShape, dynamic, clearAfterRead, identicalShapes, false);
        checkSize(name, size);
        for (int i = 0; i < size; i++) items.add(new Item());
    }

    private static void checkSize(String name, long size) {
        require(
                size <= MOST_ITEMS,
                RESOURCE_EXHAUSTED,
                "TensorArray %s: it may have %d elements, got %d",
                name,
                MOST_ITEMS,
                size);
    }

    private TensorArrayResource(
            String name,
            DType dtype,
            Shape elementShape,
            boolean dynamic,
            boolean clearAfterRead,
            boolean identicalShapes,
            boolean adds) {
        this.name = name;
        this.dtype = dtype;
        this.elementShape = elementShape;
        this.dynamic = dynamic;
        this.clearAfterRead = clearAfterRead;
        this.identicalShapes = identicalShapes;
        this.adds = adds;
    }

    String name() {
        return name;
    }

    DType dtype() {
        return dtype;
    }

    synchronized Shape elementShape() {
        return elementShape;
    }

    synchronized boolean isDynamic() {
        return dynamic;
    }

    synchronized int size() {
        requireOpen();
        return items.size();
    }

    /** How many elements a pack or concat takes: all, or of a gradient those that the forward array's last unpack or split wrote. */
    synchronized int packSize() {
        requireOpen();
        return adds && marked >= 0 ? marked : items.size();
    }

    /** Notes how many elements an unpack or split writes; the array may grow afterwards. */
    synchronized void mark(int count) {
        if (!adds) marked = count;
    }

    /** The array that gradients of this one's elements are added up in; this one can grow no more. */
    synchronized TensorArrayResource gradient(String gradientName, Shape prefix) {
        requireOpen();
        dynamic = false;
        Shape element = elementShape.isRankKnown() ? prefix.concat(elementShape) : elementShape;
        TensorArrayResource g =
                new TensorArrayResource(gradientName, dtype, element, false, false, identicalShapes, true);
        g.marked = marked;
        for (Item i : items) {
            Item zero = new Item();
            if (i.shape.isRankKnown()) zero.shape = prefix.concat(i.shape);
            g.items.add(zero);
        }
        return g;
    }

    /** Takes over a reference. */
    synchronized void write(KernelContext c, long index, Tensor t) {
        try {
            requireOpen();
            checkFits(index, t);
            checkSize(name, index + 1L);
            while (items.size() <= index) items.add(new Item());
            Item i = items.get((int) index);
            require(
                    !i.read,
                    INVALID_ARGUMENT,
                    "TensorArray %s: Could not write to TensorArray index %d because it has already been read.",
                    name,
                    index);
            require(
                    adds || !i.written,
                    INVALID_ARGUMENT,
                    "TensorArray %s: Could not write to TensorArray index %d because it has already been written to.",
                    name,
                    index);
            require(
                    !i.written || i.shape.equals(t.shape()),
                    INVALID_ARGUMENT,
                    "TensorArray %s: Could not aggregate to TensorArray index %d because the existing shape is %s but the new input shape is %s.",
                    name,
                    index,
                    i.shape,
                    t.shape());
            if (identicalShapes && !elementShape.isFullyKnown()) elementShape = t.shape();
            if (i.written) {
                Tensor sum = Variants.sum(i.value, t, c);
                i.value.release();
                i.value = sum;
            } else i.value = t.retain();
            i.shape = t.shape();
            i.written = true;
        } finally {
            t.release();
        }
    }

    private void checkFits(long index, Tensor t) {
        require(
                index >= 0 && (dynamic || index < items.size()),
                INVALID_ARGUMENT,
                "TensorArray %s: Tried to write to index %d but array is not resizeable and size is: %d",
                name,
                index,
                items.size());
        require(
                t.dtype() == dtype,
                INVALID_ARGUMENT,
                "TensorArray %s: Could not write to TensorArray index %d because the value dtype is %s but TensorArray dtype is %s.",
                name,
                index,
                t.dtype(),
                dtype);
        require(
                elementShape.isCompatibleWith(t.shape()),
                INVALID_ARGUMENT,
                "TensorArray %s: Could not write to TensorArray index %d because the value shape is %s which is incompatible with the TensorArray's inferred element shape: %s (consider setting infer_shape=False).",
                name,
                index,
                t.shape(),
                elementShape);
    }

    /** The caller owns it; what was never written reads as zeros where its shape is known. */
    synchronized Tensor read(KernelContext c, long index, DType wanted) {
        requireOpen();
        require(
                wanted == dtype,
                INVALID_ARGUMENT,
                "TensorArray dtype is %s but Op requested dtype %s.",
                dtype.inWords(),
                wanted.inWords());
        require(
                index >= 0 && index < items.size(),
                INVALID_ARGUMENT,
                "TensorArray %s: Tried to read from index %d but array size is: %d",
                name,
                index,
                items.size());
        Item i = items.get((int) index);
        require(
                !i.cleared,
                INVALID_ARGUMENT,
                "TensorArray %s: Could not read index %d twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?).",
                name,
                index);
        if (i.value == null) {
            Shape s = i.shape.isFullyKnown() ? i.shape : elementShape;
            require(
                    s.isFullyKnown(),
                    INVALID_ARGUMENT,
                    "TensorArray %s: Could not read from TensorArray index %d.  Furthermore, the element shape is not fully defined: %s.  It is possible you are working with a resizeable TensorArray and stop_gradients is not allowing the gradients to be written.  If you set the full element_shape property on the forward TensorArray, the proper all-zeros tensor will be returned instead of incurring this error.",
                    name,
                    index,
                    s);
            i.value = Variants.zeros(dtype, s, c);
            i.shape = s;
        }
        i.read = true;
        Tensor t = i.value.retain();
        if (clearAfterRead) {
            i.value.release();
            i.value = null;
            i.cleared = true;
        }
        return t;
    }

    private void requireOpen() {
        require(!closed, INVALID_ARGUMENT, "TensorArray %s has already been closed.", name);
    }

    @Override
    public synchronized void close() {
        closed = true;
        for (Item i : items) if (i.value != null) i.value.release();
        items.clear();
    }

    @Override
    public String kind() {
        return "tensor array";
    }
}
