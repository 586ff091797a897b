package dev.oxbow.ops.lookup;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** What the ops on tables share: declaration, types, checks. */
final class Tables {
    private Tables() {}

    /** A handle of the older form is a reference to two strings, of the newer a resource. */
    static List<TensorType> inferHandle(InferenceContext c, Table.Kind k) {
        List<TensorType> behind =
                List.of(new TensorType(k.key(), k.keyShape()), new TensorType(k.value(), k.valueShape()));
        return List.of(
                c.outputDtype(0) == DType.STRING
                        ? new TensorType(DType.STRING, Shape.of(2), true, behind)
                        : new TensorType(DType.RESOURCE, Shape.SCALAR, false, behind));
    }

    /** Gives output 0 the handle of the table, which is made when it is first asked for. */
    static void open(
            KernelContext c, String container, String sharedName, Table.Kind kind, Function<String, Table> maker) {
        checkTypes(kind);
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        Table t = c.containers().lookupOrCreate(container, name, Table.class, () -> maker.apply(name));
        require(
                t.declared().equals(kind),
                INVALID_ARGUMENT,
                "Conflicting key/value dtypes: table %s is %s, wanted %s",
                name,
                t.declared(),
                kind);
        c.set(0, ResourceHandle.tensor(container, name, t, List.of()));
    }

    /** The pairs of dtypes that TensorFlow has tables for. */
    private static void checkTypes(Table.Kind k) {
        boolean keys = k.key() == DType.I32 || k.key() == DType.I64 || k.key() == DType.STRING;
        require(
                keys && !(k.key() == DType.I32 && k.value() == DType.I64),
                INVALID_ARGUMENT,
                "there are no tables from %s to %s",
                k.key(),
                k.value());
        require(
                k.form() != Table.Form.TENSORS || k.valueShape().rank() == 1,
                INVALID_ARGUMENT,
                "Default value must be a vector, got shape %s",
                k.valueShape());
    }

    /** Gives output 0 the handle of a new table that nobody else can find. */
    static void openNew(KernelContext c, Table table) {
        checkTypes(table.declared());
        c.set(0, ResourceHandle.tensor("", c.node(), table, List.of()));
    }

    /** The kind of a dense table, whose keys have the shape of its unusable keys in inputs 0 and 1. */
    static Table.Kind dense(Shape keyShape, DType key, DType value, Shape valueShape) {
        return new Table.Kind(Table.Form.DENSE, key, keyShape, value, valueShape);
    }

    /** Opens a dense table, checking what its inputs and attributes say. */
    static List<Element> forbidden(KernelContext c, Shape valueShape, long buckets, float load) {
        Tensor empty = c.input(0);
        require(
                empty.shape().rank() <= 1,
                INVALID_ARGUMENT,
                "MutableDenseHashTable: Empty key must be a scalar or a vector, got shape %s",
                empty.shape());
        require(
                buckets >= 4 && Long.bitCount(buckets) == 1,
                INVALID_ARGUMENT,
                "MutableDenseHashTable: Number of buckets must be at least 4 and a power of 2, got: %d",
                buckets);
        require(
                load > 0 && load < 1,
                INVALID_ARGUMENT,
                "MutableDenseHashTable: max_load_factor must be between 0 and 1, got: %s",
                load);
        require(
                valueShape.rank() <= 1,
                INVALID_ARGUMENT,
                "MutableDenseHashTable: Default value must be a scalar or a vector, got shape %s",
                valueShape);
        Element e = Element.of(empty, 0, empty.size());
        Tensor deleted = c.input(1);
        require(
                deleted.shape().equals(empty.shape()),
                INVALID_ARGUMENT,
                "MutableDenseHashTable: Empty and deleted keys must have same shape, got shapes: %s and %s",
                empty.shape(),
                deleted.shape());
        Element d = Element.of(deleted, 0, deleted.size());
        require(!d.equals(e), INVALID_ARGUMENT, "MutableDenseHashTable: Empty and deleted keys cannot be equal");
        return List.of(e, d);
    }

    static Table table(KernelContext c) {
        return ResourceHandle.resource(c.input(0), Table.class);
    }

    static List<TensorType> inferFind(InferenceContext c) {
        List<TensorType> behind = c.input(0).behind();
        Shape s = Shape.UNKNOWN;
        if (behind.size() == 2
                && c.shape(1).isRankKnown()
                && behind.get(0).shape().isRankKnown()) {
            int batch = c.shape(1).rank() - behind.get(0).shape().rank();
            if (batch >= 0) s = c.shape(1).slice(0, batch).concat(behind.get(1).shape());
        }
        return List.of(new TensorType(c.outputDtype(0), s));
    }

    static void find(KernelContext c) {
        Table t = table(c);
        Tensor keys = c.input(1), defaults = c.input(2);
        Shape batch = batch(t, keys), out = batch.concat(t.declared().valueShape());
        requireType(t, "value", t.declared().value(), defaults.dtype());
        require(
                defaults.shape().equals(t.declared().valueShape())
                        || defaults.shape().equals(out),
                INVALID_ARGUMENT,
                "Expected shape %s or %s for default value, got %s",
                t.declared().valueShape(),
                out,
                defaults.shape());
        t.find(keys, defaults, c.allocate(0, out));
    }

    /** The shape of the keys without that of one key, after checking their type. */
    static Shape batch(Table t, Tensor keys) {
        Table.Kind k = t.declared();
        requireType(t, "key", k.key(), keys.dtype());
        int rank = keys.shape().rank() - k.keyShape().rank();
        require(
                rank >= 0
                        && (k.form() != Table.Form.DENSE || rank <= 1)
                        && keys.shape().slice(rank, keys.shape().rank()).equals(k.keyShape()),
                INVALID_ARGUMENT,
                "Expected key shape %2$s, or several of them: input key shape %1$s must end with it",
                keys.shape(),
                k.keyShape());
        return keys.shape().slice(0, rank);
    }

    /** Checks keys in input 1 and values in input 2 against each other and the table. */
    static Table checked(KernelContext c) {
        Table t = table(c);
        Tensor keys = c.input(1), values = c.input(2);
        requireType(t, "value", t.declared().value(), values.dtype());
        Shape wanted = batch(t, keys).concat(t.declared().valueShape());
        require(
                values.shape().equals(wanted),
                INVALID_ARGUMENT,
                "Expected shape %s for value, got %s",
                wanted,
                values.shape());
        return t;
    }

    /** As {@link #checked}, but a dense table also takes what it exports: rows, be they of one element. */
    static Table importable(KernelContext c) {
        Table t = table(c);
        Table.Kind k = t.declared();
        Tensor keys = c.input(1), values = c.input(2);
        long n = keys.shape().rank() == 2 ? keys.shape().dim(0) : -1;
        boolean rows = k.form() == Table.Form.DENSE
                && k.key() == keys.dtype()
                && k.value() == values.dtype()
                && keys.shape().equals(Shape.of(n, k.keyShape().size()))
                && values.shape().equals(Shape.of(n, k.valueShape().size()));
        return rows ? t : checked(c);
    }

    static void requireType(Table t, String what, DType wanted, DType got) {
        require(
                wanted == got,
                INVALID_ARGUMENT,
                "Table %s: %s must be type %s but got %s",
                t.name(),
                what,
                wanted,
                got);
    }

    static void initialise(KernelContext c) {
        Tensor keys = c.input(1), values = c.input(2);
        require(
                keys.shape().rank() == 1 && values.shape().equals(keys.shape()),
                INVALID_ARGUMENT,
                "Keys and values must be vectors of the same size, got %s and %s",
                keys.shape(),
                values.shape());
        require(keys.size() > 0, INVALID_ARGUMENT, "keys and values cannot be empty tensors");
        checked(c).initialise(keys, values);
    }

    /** Gives the handle of a table. */
    interface Made extends NotDifferentiable, Opening {
        Table.Form form();

        DType keyDtype();

        DType valueDtype();

        default Shape valueShape() {
            return Shape.SCALAR;
        }

        default Table.Kind kind() {
            return new Table.Kind(form(), keyDtype(), Shape.SCALAR, valueDtype(), valueShape());
        }

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return inferHandle(c, kind());
        }
    }

    /** The table of a name, made when it is first asked for. */
    interface Shared extends Made {
        String container();

        String sharedName();

        @Override
        default Kernel cpu() {
            return c -> open(c, container(), sharedName(), kind(), name -> new Table(name, kind(), List.of()));
        }
    }

    /** A new table that nobody else can find. */
    interface Anonymous extends Made {
        @Override
        default Kernel cpu() {
            return c -> openNew(c, new Table(c.node(), kind(), List.of()));
        }
    }

    /** Filled once. */
    interface Hash extends Made {
        @Override
        default Table.Form form() {
            return Table.Form.HASH;
        }
    }

    /** Of scalars. */
    interface Mutable extends Made {
        @Override
        default Table.Form form() {
            return Table.Form.MUTABLE;
        }
    }

    /** Of vectors. */
    interface MutableOfTensors extends Made {
        @Override
        default Table.Form form() {
            return Table.Form.TENSORS;
        }
    }
}
