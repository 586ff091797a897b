package dev.oxbow.cluster.link;

import dev.oxbow.tensor.Tensor;

/** A large value on its way out: its memory, held until the last piece has left. */
final class Content {
    final long id;
    final long address;
    final long length;
    private final Tensor value;
    private final Runnable gone;
    long sent;
    private boolean dropped;

    /** Takes over one reference; {@code gone} is called when it is given back. */
    Content(long id, Tensor value, Runnable gone) {
        this.id = id;
        this.value = value;
        this.address = value.address();
        this.length = value.byteSize();
        this.gone = gone;
    }

    /** No piece more is wanted; one that has begun must end. */
    void drop() {
        dropped = true;
    }

    boolean isOver() {
        return dropped || sent == length;
    }

    void release() {
        value.release();
        gone.run();
    }
}
