package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Samples of lookup tables. */
public final class LookupSamples extends SampleFamily {
    private static final Tensor WORDS = Tensor.of(Shape.of(3), "a", "b", "c");
    private static final Tensor NUMBERS = Tensor.of(Shape.of(3), 10L, -20L, 30L);
    private static final Tensor ASKED = Tensor.of(Shape.of(2, 2), "b", "x", "a", "");

    @Override
    public String name() {
        return "lookup";
    }

    @Override
    protected void define() {
        for (String version : List.of("", "V2")) {
            filledOnce(version);
            mutable(version);
            vectors(version);
        }
        dense("V2");
        anonymous();
        remapped();
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(name).create(map);
    }

    private void filledOnce(String v) {
        for (String op :
                List.of("HashTable", "InitializeTable", "LookupTableFind", "LookupTableSize", "LookupTableImport")) {
            program(op + v, p -> {
                Edge t = p.add(op("HashTable" + v, "key_dtype", DType.STRING, "value_dtype", DType.I64))
                        .edge(0);
                String fill = op.equals("LookupTableImport") ? op + v : "InitializeTable" + v;
                Node init = p.add(op(fill), t, p.constant(WORDS), p.constant(NUMBERS));
                Node other = p.add(op(fill), t, p.constant(WORDS), p.constant(Tensor.of(Shape.of(3), 1L, 2L, 3L)));
                Edge found = p.add(op("LookupTableFind" + v), t, p.constant(ASKED), p.constant(Tensor.scalar(-1L)))
                        .edge(0);
                Edge size = p.add(op("LookupTableSize" + v), t).edge(0);
                p.fetch(found).target(init).target(init).fetch(found, size).target(other);
            });
        }
        program("HashTable" + v, p -> {
            Edge t = p.add(op("HashTable" + v, "key_dtype", DType.I64, "value_dtype", DType.STRING, "shared_name", "t"))
                    .edge(0);
            Edge same = p.add(op(
                            "HashTable" + v, "key_dtype", DType.I64, "value_dtype", DType.STRING, "shared_name", "t"))
                    .edge(0);
            Node init = p.add(op("InitializeTable" + v), t, p.constant(NUMBERS), p.constant(WORDS));
            Edge found = p.add(op("LookupTableFind" + v), same, p.constant(NUMBERS), p.constant(Tensor.scalar("?")))
                    .edge(0);
            p.target(init).fetch(found);
        });
        program("InitializeTable" + v, p -> {
            Edge t = p.add(op("HashTable" + v, "key_dtype", DType.STRING, "value_dtype", DType.I64))
                    .edge(0);
            Tensor twice = Tensor.of(Shape.of(3), "a", "b", "a");
            p.target(p.add(op("InitializeTable" + v), t, p.constant(twice), p.constant(NUMBERS)));
        });
        program("InitializeTableFromTextFile" + v, p -> {
            Edge t = p.add(op("HashTable" + v, "key_dtype", DType.STRING, "value_dtype", DType.I64))
                    .edge(0);
            p.target(p.add(
                    op("InitializeTableFromTextFile" + v, "key_index", -2L, "value_index", -1L),
                    t,
                    p.constant(Tensor.scalar("no/such/file"))));
        });
    }

    private void remapped() {
        program("GenerateVocabRemapping", p -> {
            Edge words = p.constant(Tensor.scalar("target/samples/new.txt")),
                    old = p.constant(Tensor.scalar("target/samples/old.txt"));
            p.target(p.add(op("WriteFile"), words, p.constant(Tensor.scalar("a\nb\nc\nd\n"))));
            p.target(p.add(op("WriteFile"), old, p.constant(Tensor.scalar("d\na\nx\nb"))));
            for (long size : new long[] {-1, 2}) {
                Node n = p.add(
                        op(
                                "GenerateVocabRemapping",
                                "new_vocab_offset",
                                1L,
                                "num_new_vocab",
                                3L,
                                "old_vocab_size",
                                size),
                        words,
                        old);
                p.fetch(n.edge(0), n.edge(1));
            }
            Node many = p.add(op("GenerateVocabRemapping", "new_vocab_offset", 2L, "num_new_vocab", 3L), words, old);
            p.fetch(many.edge(0));
        });
    }

    private void mutable(String v) {
        for (String op : List.of("MutableHashTable", "LookupTableInsert", "LookupTableExport", "LookupTableRemove")) {
            String name = op.equals("LookupTableRemove") ? "LookupTableRemoveV2" : op + v;
            if (!OpRegistry.get().has(name) || v.isEmpty() && name.endsWith("V2")) continue;
            program(name, p -> {
                Edge t = p.add(op("MutableHashTable" + v, "key_dtype", DType.STRING, "value_dtype", DType.I64))
                        .edge(0);
                Edge size = p.add(op("LookupTableSize" + v), t).edge(0);
                Edge found = p.add(op("LookupTableFind" + v), t, p.constant(ASKED), p.constant(Tensor.scalar(-1L)))
                        .edge(0);
                Tensor one = Tensor.of(Shape.of(1), "b");
                Node insert = p.add(op("LookupTableInsert" + v), t, p.constant(WORDS), p.constant(NUMBERS));
                Node load =
                        p.add(op("LookupTableImport" + v), t, p.constant(one), p.constant(Tensor.of(Shape.of(1), 5L)));
                Node export = p.add(op("LookupTableExport" + v, "Tkeys", DType.STRING, "Tvalues", DType.I64), t);
                p.fetch(size, found).target(insert).fetch(size, found);
                if (!v.isEmpty())
                    p.target(p.add(op("LookupTableRemoveV2"), t, p.constant(one)))
                            .fetch(size, found);
                p.target(load).fetch(size, found).fetch(export.edge(0), export.edge(1));
            });
        }
    }

    private void vectors(String v) {
        program("MutableHashTableOfTensors" + v, p -> {
            Edge t = p.add(op(
                            "MutableHashTableOfTensors" + v,
                            "key_dtype",
                            DType.I64,
                            "value_dtype",
                            DType.F32,
                            "value_shape",
                            Shape.of(2)))
                    .edge(0);
            Node insert = p.add(op("LookupTableInsert" + v), t, p.constant(NUMBERS), p.constant(floats(1, 3, 2)));
            Edge found = p.add(
                            op("LookupTableFind" + v),
                            t,
                            p.constant(Tensor.of(Shape.of(2), 30L, 4L)),
                            p.constant(floats(2, 2)))
                    .edge(0);
            Node wrong = p.add(op("LookupTableInsert" + v), t, p.constant(NUMBERS), p.constant(floats(1, 3)));
            p.target(insert).fetch(found).target(wrong);
        });
    }

    private void dense(String v) {
        program("MutableDenseHashTable" + v, p -> {
            Edge empty = p.constant(Tensor.scalar(0L)), deleted = p.constant(Tensor.scalar(-1L));
            Op op = op("MutableDenseHashTable" + v, "value_dtype", DType.I64, "initial_num_buckets", 4L);
            Edge t = p.add(op, empty, deleted).edge(0);
            Node insert = p.add(op("LookupTableInsert" + v), t, p.constant(NUMBERS), p.constant(NUMBERS));
            Edge found = p.add(
                            op("LookupTableFind" + v),
                            t,
                            p.constant(Tensor.of(Shape.of(2), 30L, 4L)),
                            p.constant(Tensor.scalar(7L)))
                    .edge(0);
            Node bad = p.add(
                    op("LookupTableInsert" + v),
                    t,
                    p.constant(Tensor.of(Shape.of(1), 0L)),
                    p.constant(Tensor.of(Shape.of(1), 0L)));
            Edge size = p.add(op("LookupTableSize" + v), t).edge(0);
            Edge keys = p.add(op("LookupTableExport" + v, "Tkeys", DType.I64, "Tvalues", DType.I64), t)
                    .edge(0);
            p.target(insert).fetch(found, size).target(bad).fetch(keys);
        });
        program("MutableDenseHashTable" + v, p -> {
            Edge empty = p.constant(Tensor.scalar(0L)), deleted = p.constant(Tensor.scalar(0L));
            Op op = op("MutableDenseHashTable" + v, "value_dtype", DType.I64, "initial_num_buckets", 12L);
            Edge t = p.add(op, empty, deleted).edge(0);
            p.fetch(p.add(op("LookupTableSize" + v), t).edge(0));
        });
    }

    private void anonymous() {
        for (String name :
                List.of("AnonymousHashTable", "AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors")) {
            program(name, p -> {
                Edge t = p.add(op(name, "key_dtype", DType.I64, "value_dtype", DType.I64))
                        .edge(0);
                Node fill = p.add(op("LookupTableImportV2"), t, p.constant(NUMBERS), p.constant(NUMBERS));
                try (var _ = p.graph().after(fill)) {
                    p.fetch(p.add(op("LookupTableSizeV2"), t).edge(0));
                }
            });
        }
        program("AnonymousMutableDenseHashTable", p -> {
            Edge t = p.add(
                            op("AnonymousMutableDenseHashTable", "value_dtype", DType.I64),
                            p.constant(Tensor.scalar(0L)),
                            p.constant(Tensor.scalar(-1L)))
                    .edge(0);
            p.fetch(p.add(op("LookupTableSizeV2"), t).edge(0));
        });
    }
}
