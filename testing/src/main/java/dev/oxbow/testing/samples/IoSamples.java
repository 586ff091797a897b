package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Samples of files and checkpoints, in the directory that programs are started in. */
public final class IoSamples extends SampleFamily {
    private static final List<DType> OLD_TYPES = List.of(
            DType.F32,
            DType.F64,
            DType.F16,
            DType.I32,
            DType.I16,
            DType.I8,
            DType.U16,
            DType.U8,
            DType.I64,
            DType.C64,
            DType.C128);
    private static final String DIRECTORY = "target/samples/";

    @Override
    public String name() {
        return "io";
    }

    @Override
    protected void define() {
        files();
        checkpoints();
        oldCheckpoints();
        remapped();
        new ReaderSamples(this).define();
        sample(op("ShardedFilename"), Tensor.scalar("model"), scalar(3), scalar(12));
        sample(op("ShardedFilespec"), Tensor.scalar("model"), scalar(12));
        program("Timestamp", p -> p.target(p.add(op("Timestamp"))));
    }

    void add(String op, Consumer<Program> build) {
        program(op, build);
    }

    private static Op op(String name, Object... attributes) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) map.put((String) attributes[i], attributes[i + 1]);
        return OpRegistry.get().definition(name).create(map);
    }

    private static Tensor strings(String... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private void files() {
        for (String cover : List.of("ReadFile", "WriteFile", "MatchingFiles")) {
            String directory = DIRECTORY + cover + "/";
            program(cover, p -> {
                Edge file = p.constant(Tensor.scalar(directory + "a.txt"));
                Node write = p.add(op("WriteFile"), file, p.constant(Tensor.scalar("text")));
                p.target(write).fetch(p.add(op("ReadFile"), file).edge(0));
                p.fetch(p.add(op("MatchingFiles"), p.constant(strings(directory + "*.txt", directory + "none*")))
                        .edge(0));
                p.fetch(p.add(op("ReadFile"), p.constant(Tensor.scalar(directory + "missing")))
                        .edge(0));
            });
        }
    }

    private void remapped() {
        program("LoadAndRemapMatrix", p -> {
            Edge prefix = p.constant(Tensor.scalar(DIRECTORY + "remapped/old"));
            p.target(p.add(op("WriteFile"), prefix, p.constant(Tensor.scalar("makes the directory"))));
            Tensor old = Tensor.of(Shape.of(4, 3), 1f, 2f, 3f, 4f, 5f, 6f, 7f, 8f, 9f, 10f, 11f, 12f);
            p.target(p.add(op("SaveV2"), prefix, p.constant(strings("m")), p.constant(strings("")), p.constant(old)));
            Edge name = p.constant(Tensor.scalar("m"));
            Tensor none = Tensor.zeros(DType.I64, Shape.of(0)), all = Tensor.of(Shape.of(2), 3L, 1L);
            Tensor some = Tensor.of(Shape.of(3), 2L, -1L, 0L), columns = Tensor.of(Shape.of(2), -1L, 2L);
            for (long most : new long[] {-1, 1, 2}) {
                p.fetch(p.add(
                                op("LoadAndRemapMatrix", "num_rows", 2L, "num_cols", 3L, "max_rows_in_memory", most),
                                prefix,
                                name,
                                p.constant(all),
                                p.constant(none),
                                p.constant(Tensor.zeros(DType.F32, Shape.of(0))))
                        .edge(0));
                p.fetch(p.add(
                                op("LoadAndRemapMatrix", "num_rows", 3L, "num_cols", 2L, "max_rows_in_memory", most),
                                prefix,
                                name,
                                p.constant(some),
                                p.constant(columns),
                                p.constant(Tensor.of(Shape.of(4), -1f, -2f, -3f, -4f)))
                        .edge(0));
            }
            p.fetch(p.add(
                            op("LoadAndRemapMatrix", "num_rows", 2L, "num_cols", 3L),
                            prefix,
                            name,
                            p.constant(Tensor.of(Shape.of(2), 1L, 1L)),
                            p.constant(none),
                            p.constant(Tensor.of(Shape.of(1), 5f)))
                    .edge(0));
        });
    }

    private void checkpoints() {
        for (String cover : List.of("SaveV2", "RestoreV2", "MergeV2Checkpoints")) {
            program(cover, p -> {
                Edge prefix = p.constant(Tensor.scalar(DIRECTORY + cover + "/part/one"));
                Edge other = p.constant(Tensor.scalar(DIRECTORY + cover + "/part/other"));
                p.target(p.add(op("WriteFile"), other, p.constant(Tensor.scalar("makes the directory"))));
                Edge whole = p.constant(strings("", "", ""));
                Edge names = p.constant(strings("x", "y", "z"));
                Node save = p.add(
                        op("SaveV2"),
                        prefix,
                        names,
                        whole,
                        p.constant(floats(1, 2, 3)),
                        p.constant(ints(4, 5)),
                        p.constant(strings("a", "bc")));
                Node restore = p.add(
                        op("RestoreV2", "dtypes", List.of(DType.F32, DType.I32, DType.STRING)),
                        prefix,
                        names,
                        p.constant(strings("2 3 0,1:0,2", "", "")));
                p.target(save).fetch(restore.edge(0), restore.edge(1), restore.edge(2));
                Edge merged = p.constant(Tensor.scalar(DIRECTORY + cover + "/all"));
                Node merge =
                        p.add(op("MergeV2Checkpoints"), p.constant(strings(DIRECTORY + cover + "/part/one")), merged);
                Edge x = p.add(
                                op("RestoreV2", "dtypes", List.of(DType.F32)),
                                merged,
                                p.constant(strings("x")),
                                p.constant(strings("")))
                        .edge(0);
                Edge wrong = p.add(
                                op("RestoreV2", "dtypes", List.of(DType.F32)),
                                merged,
                                p.constant(strings("y")),
                                p.constant(strings("")))
                        .edge(0);
                Edge missing = p.add(
                                op("RestoreV2", "dtypes", List.of(DType.F32)),
                                merged,
                                p.constant(strings("w")),
                                p.constant(strings("")))
                        .edge(0);
                p.target(merge).fetch(x).fetch(wrong).fetch(missing);
            });
        }
    }

    /** Files of the first format: whole tensors of all types, slices, pieces of what was saved, and what is not there. */
    private void oldCheckpoints() {
        program("Save", p -> {
            Edge file = p.constant(Tensor.scalar(DIRECTORY + "old/save"));
            p.target(p.add(op("WriteFile"), file, p.constant(Tensor.scalar("makes the directory"))));
            List<Tensor> saved = new ArrayList<>(List.of(strings("a", "", "bcd"), Tensor.scalar(true)));
            for (DType d : OLD_TYPES) saved.add(random(d, -100, 100, 5, 2, 3));
            saved.add(Tensor.zeros(DType.F32, Shape.of(0, 4)));
            List<Edge> inputs = new ArrayList<>(List.of(file));
            String[] names = new String[saved.size()];
            for (int i = 0; i < names.length; i++) names[i] = "t" + (names.length - i);
            inputs.add(p.constant(strings(names)));
            for (Tensor t : saved) inputs.add(p.constant(t));
            p.target(p.add(op("Save"), inputs.toArray(Edge[]::new)));
            for (int i = 0; i < names.length; i++)
                fetch(p, "Restore", saved.get(i).dtype(), file, names[i]);
            fetch(p, "Restore", DType.F32, file, "none");
            fetch(p, "Restore", DType.I32, file, names[names.length - 1]);
            fetch(p, "Restore", DType.F32, p.constant(Tensor.scalar(DIRECTORY + "old/missing")), "t1");
            p.fetch(p.add(
                            op("RestoreV2", "dtypes", List.of(DType.STRING)),
                            file,
                            p.constant(strings(names[0])),
                            p.constant(strings("3 1,2")))
                    .edge(0));
        });
        for (String cover : List.of("SaveSlices", "Restore", "RestoreSlice")) program(cover, p -> slices(p, cover));
    }

    private static void slices(Program p, String folder) {
        String at = DIRECTORY + "old/" + folder;
        for (int shard = 0; shard < 2; shard++) {
            Edge file = p.constant(Tensor.scalar(at + "/part-" + shard));
            p.target(p.add(op("WriteFile"), file, p.constant(Tensor.scalar("makes the directory"))));
            p.target(p.add(
                    op("SaveSlices"),
                    file,
                    p.constant(strings("x", "n" + shard, "x")),
                    p.constant(strings("4 6 -:" + 3 * shard + ",2", "", "4 6 -:" + (3 * shard + 2) + ",1")),
                    p.constant(floats(shard, 4, 2)),
                    p.constant(ints(7, shard)),
                    p.constant(floats(shard + 5, 4, 1))));
        }
        Edge all = p.constant(Tensor.scalar(at + "/part-?"));
        fetch(p, "Restore", DType.F32, all, "x");
        for (String spec : List.of("", "4 6 -:-", "4 6 1,2:1,4", "4 6 0,1:5,1", "4 5 -:-"))
            fetch(p, "RestoreSlice", DType.F32, all, "x", spec);
        fetch(p, "RestoreSlice", DType.I32, all, "n1", "2 1,1");
        fetch(p, "RestoreSlice", DType.F32, p.constant(Tensor.scalar(at + "/part-1")), "x", "4 6 -:3,3");
        fetch(p, "RestoreSlice", DType.F32, p.constant(Tensor.scalar(at + "/part-1")), "x", "4 6 -:2,3");
    }

    private static void fetch(Program p, String op, DType dtype, Edge file, String... more) {
        List<Edge> inputs = new ArrayList<>(List.of(file));
        for (String s : more) inputs.add(p.constant(Tensor.scalar(s)));
        p.fetch(p.add(op(op, "dt", dtype), inputs.toArray(Edge[]::new)).edge(0));
    }
}
