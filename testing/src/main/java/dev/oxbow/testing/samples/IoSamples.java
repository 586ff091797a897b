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
import java.util.function.Consumer;

/** Samples of files and checkpoints, in the directory that programs are started in. */
public final class IoSamples extends SampleFamily {
    private static final String DIRECTORY = "target/samples/";

    @Override
    public String name() {
        return "io";
    }

    @Override
    protected void define() {
        files();
        checkpoints();
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
}
