package dev.oxbow.ops.lookup;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A map from keys to values of fixed dtypes and shapes, shared by name. Thread-safe. */
final class Table implements Resource {

    /** How a table may be used. */
    enum Form {
        /** Filled once. */
        HASH("HashTable"),
        MUTABLE("MutableHashTable"),
        TENSORS("MutableHashTableOfTensors"),
        /** With two keys that cannot be used. */
        DENSE("MutableDenseHashTable");

        final String label;

        Form(String label) {
            this.label = label;
        }
    }

    /** What a table is declared as; nodes that share one must agree on it. */
    record Kind(Form form, DType key, Shape keyShape, DType value, Shape valueShape) {}

    private static final int BYTES_OF_ENTRY = 192;

    /** What is imported in a power of two of rows, of which there are that many or more, is an export's buckets. */
    private static final int LEAST_BUCKETS = 4;

    private final String name;
    private final Kind kind;
    private final List<Element> forbidden;
    private final Map<Element, Element> entries = new LinkedHashMap<>();
    private DenseBuckets places;
    private boolean initialised;

    /** A dense table whose places begin with {@code buckets} buckets. */
    static Table dense(String name, Kind kind, List<Element> forbidden, long buckets, float maxLoad) {
        Table t = new Table(name, kind, forbidden);
        t.places = new DenseBuckets(buckets, maxLoad, forbidden.get(1));
        return t;
    }

    Table(String name, Kind kind, List<Element> forbidden) {
        this.name = name;
        this.kind = kind;
        this.forbidden = forbidden;
        this.initialised = kind.form != Form.HASH;
    }

    Kind declared() {
        return kind;
    }

    String name() {
        return name;
    }

    synchronized long size() {
        requireInitialised();
        return entries.size();
    }

    synchronized boolean isInitialised() {
        return initialised;
    }

    /** Fills a table that is filled once; later calls with as many entries change nothing, others are an error. */
    synchronized void initialise(Tensor keys, Tensor values) {
        require(
                kind.form == Form.HASH,
                UNIMPLEMENTED,
                "%s %s cannot be initialized like a HashTable",
                kind.form.label,
                name);
        Map<Element, Element> filled = new LinkedHashMap<>();
        long n = Counts.objects(values.size(), BYTES_OF_ENTRY);
        for (long i = 0; i < n; i++) {
            Element k = Element.of(keys, i, 1), v = Element.of(values, i, 1), old = filled.put(k, v);
            require(
                    old == null || old.equals(v),
                    FAILED_PRECONDITION,
                    "HashTable has different value for same key. Key %s has %s and trying to add value %s",
                    k,
                    old,
                    v);
        }
        require(
                !initialised || filled.size() == entries.size(),
                FAILED_PRECONDITION,
                "Table %s was already initialized with different data.",
                name);
        if (!initialised) entries.putAll(filled);
        initialised = true;
    }

    /** Looks every key up; those that are missing get the default, one for all or one for each. */
    synchronized void find(Tensor keys, Tensor defaults, Tensor y) {
        requireInitialised();
        long perKey = kind.keyShape.size(),
                perValue = kind.valueShape.size(),
                n = perKey == 0 ? 0 : keys.size() / perKey;
        boolean defaultForEach = defaults.size() != perValue;
        for (long i = 0; i < n; i++) {
            Element v = entries.get(key(keys, i));
            if (v != null) v.write(y, i * perValue);
            else Element.of(defaults, defaultForEach ? i : 0, perValue).write(y, i * perValue);
        }
    }

    synchronized void insert(Tensor keys, Tensor values) {
        requireMutable("Insert");
        long n = keys.size() / kind.keyShape.size();
        Counts.objects(entries.size() + n, BYTES_OF_ENTRY);
        if (places != null) places.grow(n);
        List<Element> all = new ArrayList<>();
        for (long i = 0; i < n; i++) all.add(key(keys, i));
        for (int i = 0; i < n; i++) {
            Element v = Element.of(values, i, kind.valueShape.size());
            entries.put(all.get(i), v);
            if (places != null) places.put(all.get(i), v);
        }
    }

    /** Replaces everything. */
    synchronized void load(Tensor keys, Tensor values) {
        if (kind.form == Form.HASH) {
            require(
                    keys.size() > 0,
                    INVALID_ARGUMENT,
                    "%s %s: keys and values cannot be empty tensors",
                    kind.form.label,
                    name);
            initialise(keys, values);
            return;
        }
        if (places == null) {
            entries.clear();
            insert(keys, values);
            return;
        }
        int n = Counts.objects(keys.size() / kind.keyShape.size(), BYTES_OF_ENTRY);
        boolean exported = n >= LEAST_BUCKETS && Integer.bitCount(n) == 1;
        places.clear(exported ? n : places.count());
        entries.clear();
        for (int i = 0; i < n; i++) {
            Element k = Element.of(keys, i, kind.keyShape.size()), v = Element.of(values, i, kind.valueShape.size());
            boolean real = !forbidden.contains(k);
            if (real) entries.put(k, v);
            if (exported) {
                if (!k.equals(forbidden.get(0))) places.place(i, k, v);
            } else if (real) {
                places.grow(1);
                places.put(k, v);
            }
        }
    }

    synchronized void remove(Tensor keys) {
        requireMutable("Remove");
        long n = keys.size() / kind.keyShape.size();
        for (long i = 0; i < n; i++) {
            Element k = key(keys, i);
            entries.remove(k);
            if (places != null) places.remove(k);
        }
    }

    /** Gives all keys and values, made by {@code allocate} for their number. */
    synchronized void export(KernelContext c) {
        requireInitialised();
        if (places != null) {
            exportPlaces(c);
            return;
        }
        Shape count = Shape.of(entries.size());
        Tensor keys = c.allocate(0, count.concat(kind.keyShape)), values = c.allocate(1, count.concat(kind.valueShape));
        long i = 0;
        for (Map.Entry<Element, Element> e : entries.entrySet()) {
            e.getKey().write(keys, i * kind.keyShape.size());
            e.getValue().write(values, i * kind.valueShape.size());
            i++;
        }
    }

    /** A dense table shows all of its buckets; those that were never used hold the empty key and zeros, and scalars have a dimension of 1. */
    private void exportPlaces(KernelContext c) {
        Element[] all = places.all();
        Tensor keys = c.allocate(0, Shape.of(all.length, kind.keyShape.size()));
        Tensor values = c.allocate(1, Shape.of(all.length, kind.valueShape.size()));
        if (values.dtype().isObject()) Arrays.fill(values.objects(), new byte[0]);
        else Memory.zero(values.address(), values.byteSize());
        for (int i = 0; i < all.length; i++) {
            (all[i] == null ? forbidden.get(0) : all[i]).write(keys, i * kind.keyShape.size());
            Element v = places.value(i);
            if (v != null) v.write(values, i * kind.valueShape.size());
        }
    }

    private Element key(Tensor keys, long i) {
        Element k = Element.of(keys, i, kind.keyShape.size());
        require(
                !forbidden.contains(k),
                INVALID_ARGUMENT,
                "Using the empty_key or the deleted_key as a table key is not allowed: %s in table %s",
                k,
                name);
        return k;
    }

    private void requireInitialised() {
        require(initialised, FAILED_PRECONDITION, "Table not initialized: %s", name);
    }

    private void requireMutable(String what) {
        require(kind.form != Form.HASH, UNIMPLEMENTED, "%s not supported by HashTable implementations", what);
    }

    @Override
    public synchronized void close() {
        entries.clear();
    }

    @Override
    public String kind() {
        return kind.form.label;
    }
}
