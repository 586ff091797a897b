package dev.oxbow.ops.lookup;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The ops on tables that there are in two versions, which differ in their handles. */
final class TableVersions {
    private TableVersions() {}

    /** Fills a table once. */
    interface Initialise extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return Tables::initialise;
        }
    }

    /** Fills a table once, from lines of a file. */
    interface InitialiseFromFile extends NotDifferentiable, Changing {
        int keyIndex();

        int valueIndex();

        long vocabSize();

        String delimiter();

        long offset();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> TextFile.initialise(c, keyIndex(), valueIndex(), vocabSize(), delimiter(), offset());
        }
    }

    /** All keys and values. */
    interface Export extends NotDifferentiable, Opening {
        DType keyType();

        DType valueType();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorType.of(keyType()), TensorType.of(valueType()));
        }

        @Override
        default Kernel cpu() {
            return c -> {
                Table t = Tables.table(c);
                Tables.requireType(t, "key", t.declared().key(), keyType());
                Tables.requireType(t, "value", t.declared().value(), valueType());
                t.export(c);
            };
        }
    }

    /** The values of keys. */
    interface Find extends NotDifferentiable, Opening {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Tables.inferFind(c);
        }

        @Override
        default Kernel cpu() {
            return Tables::find;
        }
    }

    /** Replaces all keys and values. */
    interface Import extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> Tables.importable(c).load(c.input(1), c.input(2));
        }
    }

    /** Sets the values of keys. */
    interface Insert extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> Tables.checked(c).insert(c.input(1), c.input(2));
        }
    }

    /** The number of keys. */
    interface Size extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I64, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, Tables.table(c).size());
        }
    }
}
