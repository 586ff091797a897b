package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayDeque;

/** Tensors of one dtype, last in, first out, for the length of a step. Thread-safe. */
final class StackResource implements Resource {
    private final String name;
    private final DType dtype;
    private final int limit;
    private final ArrayDeque<Tensor> items = new ArrayDeque<>();
    private boolean closed;

    /** A negative limit is none. */
    StackResource(String name, DType dtype, int limit) {
        this.name = name;
        this.dtype = dtype;
        this.limit = limit;
    }

    /** Takes over a reference. */
    synchronized void push(Tensor t) {
        try {
            requireOpen();
            require(
                    t.dtype() == dtype,
                    INVALID_ARGUMENT,
                    "Must have type %s but got %s (stack %s)",
                    dtype,
                    t.dtype(),
                    name);
            require(
                    limit < 0 || items.size() < limit,
                    INVALID_ARGUMENT,
                    "Stack[%s] overflowed its max_size (%d)",
                    name,
                    limit);
        } catch (RuntimeException e) {
            t.release();
            throw e;
        }
        items.push(t);
    }

    /** The caller owns it. */
    synchronized Tensor pop(DType wanted) {
        requireOpen();
        require(!items.isEmpty(), INVALID_ARGUMENT, "Stack[%s] is empty when calling Pop().", name);
        require(wanted == dtype, INVALID_ARGUMENT, "Stack[%s] holds %s, wanted %s", name, dtype, wanted);
        return items.pop();
    }

    private void requireOpen() {
        require(!closed, INVALID_ARGUMENT, "Stack[%s] has already been closed.", name);
    }

    @Override
    public synchronized void close() {
        closed = true;
        items.forEach(Tensor::release);
        items.clear();
    }

    @Override
    public String kind() {
        return "stack";
    }
}
