package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A ragged tensor inside of a variant. */
final class RaggedVariant implements Counted {
    private final List<Tensor> splits;
    private final Tensor values;
    private final AtomicInteger references = new AtomicInteger(1);

    /** Takes over a reference to each tensor. */
    RaggedVariant(List<Tensor> splits, Tensor values) {
        this.splits = splits;
        this.values = values;
    }

    static RaggedVariant of(Object o, DType splits, DType values) {
        require(o instanceof RaggedVariant, INVALID_ARGUMENT, "the variant does not hold a ragged tensor");
        RaggedVariant r = (RaggedVariant) o;
        require(
                r.values.dtype() == values,
                INVALID_ARGUMENT,
                "Expected values Tensor dtype: %s, found: %s",
                values.inWords(),
                r.values.dtype().inWords());
        for (Tensor s : r.splits)
            require(
                    s.dtype() == splits,
                    INVALID_ARGUMENT,
                    "Expected row_splits Tensor dtype: %s, found: %s",
                    splits.inWords(),
                    s.dtype().inWords());
        return r;
    }

    /** From the outermost on, borrowed. */
    List<Tensor> splits() {
        return splits;
    }

    /** Borrowed. */
    Tensor values() {
        return values;
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        if (references.decrementAndGet() > 0) return;
        splits.forEach(Tensor::release);
        values.release();
    }
}
