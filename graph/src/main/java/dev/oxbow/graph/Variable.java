package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.concurrent.locks.ReentrantLock;
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
        } finally {
            lock.unlock();
        }
        if (old != null) old.release();
    }

    /** Lets {@code change} write the value in place, on a copy if it lies elsewhere or somebody still reads it; one update at a time. */
    public void update(MemoryPool pool, Consumer<Tensor> change) {
        lock.lock();
        try {
            Tensor t = current();
            if (!t.buffer().isUnique() || !t.isIn(pool.space())) {
                Tensor copy = pool.tensor(t.dtype(), t.shape(), name);
                t.copyTo(copy);
                value = copy;
                t.release();
            }
            change.accept(value);
        } finally {
            lock.unlock();
        }
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
