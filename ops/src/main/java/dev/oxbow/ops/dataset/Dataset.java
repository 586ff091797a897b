package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/** Elements in an order, inside a variant. It holds tensors and other data sets, and can be walked any number of times. */
final class Dataset implements Counted {
    /** The size of one without end, and of one that only a walk tells. */
    static final long ENDLESS = -1;

    static final long UNKNOWN = -2;

    private final List<Tensor> tensors;
    private final List<Dataset> inputs;
    private final Supplier<Elements> opener;
    private long size = UNKNOWN;
    private final AtomicInteger references = new AtomicInteger(1);

    /** Takes over a reference to each tensor, and counts one to each input. */
    Dataset(List<Tensor> tensors, List<Dataset> inputs, Supplier<Elements> opener) {
        this.tensors = tensors;
        this.inputs = inputs;
        this.opener = opener;
        inputs.forEach(Dataset::retain);
    }

    static Dataset of(Tensor t) {
        require(
                t.dtype() == DType.VARIANT && t.shape().isScalar() && t.objects()[0] instanceof Dataset,
                INVALID_ARGUMENT,
                "needs a scalar variant with a data set, got %s",
                t.describe());
        return (Dataset) t.objects()[0];
    }

    /** The one of an input, of which the caller owns a reference. */
    static Dataset same(KernelContext c, int i) {
        Dataset d = input(c, i);
        d.retain();
        return d;
    }

    static Dataset input(KernelContext c, int i) {
        return of(c.input(i));
    }

    /** A scalar variant with a data set, of which it takes over a reference. */
    static Tensor tensor(Dataset d) {
        return Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, d);
    }

    /** Says how many elements there are; returns itself. */
    Dataset sized(long elements) {
        size = elements;
        return this;
    }

    /** How many elements there are, {@link #ENDLESS} or {@link #UNKNOWN}. */
    long size() {
        return size;
    }

    /** The size of what has so many parts of each element: for sizes that are not known, the same. */
    static long sized(long size, LongUnaryOperator of) {
        return size < 0 ? size : of.applyAsLong(size);
    }

    /** Its elements from the first one on. */
    Elements open() {
        return opener.get();
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        if (references.decrementAndGet() > 0) return;
        tensors.forEach(Tensor::release);
        inputs.forEach(Dataset::release);
    }
}
