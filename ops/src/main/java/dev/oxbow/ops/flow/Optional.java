package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Summable;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Some tensors or nothing, inside a variant. */
public final class Optional implements Summable {
    private final List<Tensor> components;
    private final AtomicInteger references = new AtomicInteger(1);

    /** Takes over a reference to each component; null for nothing. */
    Optional(List<Tensor> components) {
        this.components = components;
    }

    public static Optional of(KernelContext c, int i) {
        Tensor t = c.input(i);
        require(
                t.shape().isScalar() && t.objects()[0] instanceof Optional,
                INVALID_ARGUMENT,
                "The given variant tensor of shape %s does not contain an optional",
                t.shape());
        return (Optional) t.objects()[0];
    }

    static void give(KernelContext c, Optional o) {
        c.set(0, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, o));
    }

    /** A scalar that holds these components, of each of which it takes over a reference; null for nothing. */
    public static Tensor tensor(List<Tensor> components) {
        return Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, new Optional(components));
    }

    /** Gives the components as outputs, which must be of these types. */
    public void give(KernelContext c, List<DType> types, List<Shape> shapes) {
        require(components != null, INVALID_ARGUMENT, "The given optional does not have a value.");
        require(
                components.size() == types.size(),
                INVALID_ARGUMENT,
                "the optional holds %d values, wanted %d",
                components.size(),
                types.size());
        for (int i = 0; i < components.size(); i++) {
            Tensor t = components.get(i);
            require(
                    t.dtype() == types.get(i) && shapes.get(i).isCompatibleWith(t.shape()),
                    INVALID_ARGUMENT,
                    "value %d is %s, wanted %s%s",
                    i,
                    t.describe(),
                    types.get(i),
                    shapes.get(i));
            c.set(i, t.retain());
        }
    }

    /** The components, borrowed; null for nothing. */
    List<Tensor> components() {
        return components;
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        if (references.decrementAndGet() == 0 && components != null) components.forEach(Tensor::release);
    }

    @Override
    public Summable plus(Summable other, KernelContext c) {
        require(other instanceof Optional, INVALID_ARGUMENT, "an optional and something else cannot be added");
        Optional o = (Optional) other;
        if (components == null && o.components == null) return new Optional(null);
        require(
                components != null && o.components != null && components.size() == o.components.size(),
                INVALID_ARGUMENT,
                "cannot add optionals because one has a value and the other does not");
        List<Tensor> sums = new ArrayList<>();
        for (int i = 0; i < components.size(); i++) sums.add(Variants.sum(components.get(i), o.components.get(i), c));
        return new Optional(sums);
    }

    @Override
    public Summable zero(KernelContext c) {
        if (components == null) return new Optional(null);
        List<Tensor> zeros = new ArrayList<>();
        for (Tensor t : components) zeros.add(Variants.zeros(t, c));
        return new Optional(zeros);
    }
}
