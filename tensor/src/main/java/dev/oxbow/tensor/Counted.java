package dev.oxbow.tensor;

/** A value with a reference count that may hold off-heap memory, such as a list of tensors inside a variant. */
public interface Counted {
    void retain();

    void release();
}
