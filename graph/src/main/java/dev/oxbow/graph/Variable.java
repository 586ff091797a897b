package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * A tensor that survives steps, behind both of TensorFlow's forms: resource handles and references. A read shares the
 * memory; an update copies it first while readers hold it. Thread-safe.
 */
public final class Variable implements Resource {
    private final String name;
    private final DType dtype;
    private final Shape shape;
    private final ReentrantLock lock = new ReentrantLock();
    private Tensor value;

    /** The value in another dtype; null where nobody wanted it since the value was made. */
    private Tensor shadow;

    /** An uninitialised variable; {@code shape} is what it was declared with. */
    public Variable(String name, DType dtype, Shape shape) {
        this.name = name;
        this.dtype = dtype;
        this.shape = shape;
    }

    public String name() {
        return name;
    }

    public DType dtype() {
        return dtype;
    }

    /** The declared shape, possibly partial. */
    public Shape shape() {
        return shape;
    }

    /** The shape of the current value; the declared one while there is none. */
    public Shape valueShape() {
        lock.lock();
        try {
            return value == null ? shape : value.shape();
        } finally {
            lock.unlock();
        }
    }

    public boolean isInitialised() {
        lock.lock();
        try {
            return value != null;
        } finally {
            lock.unlock();
        }
    }

    /** The current value, with a reference for the caller; FAILED_PRECONDITION when there is none. */
    public Tensor read() {
        lock.lock();
        try {
            return current().retain();
        } finally {
            lock.unlock();
        }
    }

    /** The current value where kernels of the pool's space can work on it, a copy if need be; FAILED_PRECONDITION when there is none. */
    public Tensor read(MemoryPool pool) {
        Tensor t = readIn(pool);
        if (t == null) throw uninitialised();
        return t;
    }

    /** As {@link #read(MemoryPool)}, but null when there is none. */
    public Tensor readIn(MemoryPool pool) {
        Tensor t;
        lock.lock();
        try {
            if (value == null) return null;
            t = value.retain();
        } finally {
            lock.unlock();
        }
        try {
            return t.in(pool, name);
        } finally {
            t.release();
        }
    }

    /** Replaces the value, taking over one reference. */
    public void assign(Tensor t) {
        Tensor old;
        lock.lock();
        try {
            old = value;
            value = t;
            dropShadow();
        } finally {
            lock.unlock();
        }
        if (old != null) old.release();
    }

    /** Lets {@code change} write the value in place, on a copy if it lies elsewhere or somebody still reads it; one update at a time. */
    public void update(MemoryPool pool, Consumer<Tensor> change) {
        updateBoth(pool, (t, _) -> {
            change.accept(t);
            return false;
        });
    }

    /** The same for a change that is given the shadow as well, null where there is none, and says whether it has written that. */
    public void updateBoth(MemoryPool pool, BiPredicate<Tensor, Tensor> change) {
        lock.lock();
        boolean both = false;
        try {
            Tensor t = current();
            if (!t.buffer().isUnique() || !t.isIn(pool.space())) {
                Tensor copy = pool.tensor(t.dtype(), t.shape(), name);
                t.copyTo(copy);
                value = copy;
                t.release();
            }
            Tensor s = shadow;
            if (s != null && (!s.buffer().isUnique() || !s.isIn(pool.space()))) {
                shadow = pool.tensor(s.dtype(), s.shape(), name);
                // a card's kernels change nothing after a fault, and then the old value is that of the next step, too
                if (pool.space() != Space.HOST) s.copyTo(shadow);
                s.release();
            }
            both = change.test(value, shadow);
        } finally {
            if (!both) dropShadow();
            lock.unlock();
        }
    }

    /** The value in another dtype, with a reference for the caller, where {@code value} is what it was kept for; else null. */
    public Tensor shadow(Tensor value, DType dtype) {
        lock.lock();
        try {
            return shadow == null || shadow.dtype() != dtype || !isCurrent(value) ? null : shadow.retain();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps the value in another dtype beside it, as long as updates write both or nobody changes it; not where {@code value} has been
     * replaced meanwhile.
     */
    public void keepShadow(Tensor value, Tensor inAnother) {
        lock.lock();
        try {
            if (!isCurrent(value)) return;
            dropShadow();
            shadow = inAnother.retain();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a tensor that somebody holds is the value: nobody writes to memory that somebody else holds. */
    private boolean isCurrent(Tensor t) {
        return value != null && value.isIn(t.space()) && value.place() == t.place();
    }

    private void dropShadow() {
        if (shadow != null) shadow.release();
        shadow = null;
    }

    /** Holds the variable while {@code body} runs, so that several reads and writes are one. */
    public void locked(Runnable body) {
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }

    private Tensor current() {
        if (value == null) throw uninitialised();
        return value;
    }

    private OxbowException uninitialised() {
        return new OxbowException(FAILED_PRECONDITION, "Attempting to use uninitialized value " + name);
    }

    @Override
    public void close() {
        assign(null);
    }

    @Override
    public String kind() {
        return "variable";
    }
}
