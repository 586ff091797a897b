package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.Ops;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints written by one side's SaveV2 are read by the other side's RestoreV2. */
final class CheckpointInteropTest {
    private final List<Tensor> values = List.of(
            Tensor.of(Shape.of(2, 3), 1f, -2f, 3.5f, Float.NaN, 0f, 1e30f),
            Tensor.of(Shape.of(3), 1L, -2L, Long.MAX_VALUE),
            Tensor.of(Shape.of(2), "alpha", "β"),
            Tensor.of(Shape.of(0, 4), new double[0]),
            Tensor.scalar(true));

    @Test
    void tensorFlowReadsWhatWeWrite(@TempDir Path folder) {
        String prefix = folder.resolve("ours").toString();
        Graph save = save(prefix);
        try (Session ours = Session.open(save)) {
            ours.run(Map.of(), List.of(), List.of("save"));
        }
        Graph restore = restore(prefix);
        try (TensorFlow theirs = new TensorFlow(restore)) {
            check(theirs.run(Map.of(), fetches(), List.of()));
        }
    }

    @Test
    void weReadWhatTensorFlowWrites(@TempDir Path folder) {
        String prefix = folder.resolve("theirs").toString();
        try (TensorFlow theirs = new TensorFlow(save(prefix))) {
            theirs.run(Map.of(), List.of(), List.of("save"));
        }
        try (Session ours = Session.open(restore(prefix))) {
            check(ours.run(Map.of(), fetches(), List.of()));
        }
    }

    private void check(List<Tensor> got) {
        for (int i = 0; i < values.size(); i++) {
            assertEquals(values.get(i).dtype(), got.get(i).dtype());
            assertEquals(values.get(i).shape(), got.get(i).shape());
            if (values.get(i).dtype() == DType.STRING)
                assertEquals(values.get(i).strings(), got.get(i).strings());
            else assertArrayEquals(values.get(i).bytes(), got.get(i).bytes());
        }
    }

    private List<String> fetches() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) names.add("restore:" + i);
        return names;
    }

    private Graph save(String prefix) {
        Graph g = new Graph();
        List<Edge> inputs = header(g, prefix);
        for (Tensor t : values) inputs.add(constant(g, t));
        g.add(Ops.named("SaveV2", Map.of()), "save", inputs);
        return g;
    }

    private Graph restore(String prefix) {
        Graph g = new Graph();
        List<DType> dtypes = values.stream().map(Tensor::dtype).toList();
        g.add(Ops.named("RestoreV2", Map.of("dtypes", dtypes)), "restore", header(g, prefix));
        return g;
    }

    private List<Edge> header(Graph g, String prefix) {
        String[] names = new String[values.size()], slices = new String[values.size()];
        for (int i = 0; i < names.length; i++) {
            names[i] = "tensor_" + i;
            slices[i] = "";
        }
        Shape n = Shape.of(names.length);
        return new ArrayList<>(List.of(
                constant(g, Tensor.scalar(prefix)),
                constant(g, Tensor.of(n, names)),
                constant(g, Tensor.of(n, slices))));
    }

    private static Edge constant(Graph g, Tensor t) {
        return g.add(new Const(t), List.of()).edge(0);
    }
}
