package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Summable;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Tensors by keys that are tensors, inside a variant; it does not change. */
public final class TensorMap implements Summable {
    private final Map<Key, Tensor> entries;
    private final AtomicInteger references = new AtomicInteger(1);

    /** A key: a tensor that is equal to others with its elements. */
    private record Key(DType dtype, Shape shape, List<Object> elements, Tensor tensor) {
        static Key of(Tensor t) {
            List<Object> elements = new ArrayList<>();
            for (long i = 0; i < t.size(); i++)
                elements.add(
                        t.dtype() == DType.STRING
                                ? new String((byte[]) t.objects()[(int) i], StandardCharsets.ISO_8859_1)
                                : t.dtype().isFloating() ? (Object) t.getDouble(i) : (Object) t.getLong(i));
            return new Key(t.dtype(), t.shape(), elements, t);
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Key k && dtype == k.dtype && shape.equals(k.shape) && elements.equals(k.elements);
        }

        @Override
        public int hashCode() {
            return elements.hashCode();
        }
    }

    private TensorMap(Map<Key, Tensor> entries) {
        this.entries = entries;
    }

    static TensorMap empty() {
        return new TensorMap(new LinkedHashMap<>());
    }

    static TensorMap of(KernelContext c, int i) {
        Tensor t = c.input(i);
        require(
                t.shape().isScalar() && t.objects()[0] instanceof TensorMap,
                INVALID_ARGUMENT,
                "the variant of shape %s does not hold a map of tensors",
                t.shape());
        return (TensorMap) t.objects()[0];
    }

    /** Gives output 0, a scalar that holds this. */
    void give(KernelContext c) {
        c.set(0, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, this));
    }

    /** The entries once more, each with a reference of its own. */
    private Map<Key, Tensor> copied() {
        Map<Key, Tensor> all = new LinkedHashMap<>(entries);
        all.forEach((k, v) -> {
            k.tensor.retain();
            v.retain();
        });
        return all;
    }

    /** With an entry more or another value; takes over the references. */
    TensorMap with(Tensor key, Tensor value) {
        Map<Key, Tensor> all = copied();
        Key k = Key.of(key);
        Tensor old = all.put(k, value);
        if (old != null) {
            old.release();
            key.release();
        }
        return new TensorMap(all);
    }

    /** Without a key. */
    TensorMap without(Tensor key) {
        Map<Key, Tensor> all = copied();
        Key k = Key.of(key);
        Tensor old = all.get(k);
        require(old != null, INVALID_ARGUMENT, "Trying to erase non-existent item.");
        all.entrySet().removeIf(e -> {
            if (!e.getKey().equals(k)) return false;
            e.getKey().tensor.release();
            e.getValue().release();
            return true;
        });
        return new TensorMap(all);
    }

    /** The value of a key, borrowed; null where there is none. */
    Tensor get(Tensor key) {
        return entries.get(Key.of(key));
    }

    int size() {
        return entries.size();
    }

    List<Tensor> keys() {
        return entries.keySet().stream().map(Key::tensor).toList();
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        if (references.decrementAndGet() > 0) return;
        entries.forEach((k, v) -> {
            k.tensor.release();
            v.release();
        });
    }

    /** Sums of values that both have, and the others as they are. */
    @Override
    public Summable plus(Summable other, KernelContext c) {
        require(other instanceof TensorMap, INVALID_ARGUMENT, "a map of tensors and something else cannot be added");
        Map<Key, Tensor> all = copied();
        ((TensorMap) other).entries.forEach((k, v) -> {
            Tensor own = all.get(k);
            if (own == null) {
                all.put(Key.of(k.tensor.retain()), v.retain());
            } else {
                all.put(k, Variants.sum(own, v, c));
                own.release();
            }
        });
        return new TensorMap(all);
    }

    @Override
    public Summable zero(KernelContext c) {
        Map<Key, Tensor> all = new LinkedHashMap<>();
        entries.forEach((k, v) -> all.put(Key.of(k.tensor.retain()), Variants.zeros(v, c)));
        return new TensorMap(all);
    }
}
