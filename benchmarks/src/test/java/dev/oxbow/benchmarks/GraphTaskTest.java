package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders with graphs are found, and run by both sides with the same losses. */
final class GraphTaskTest {
    @TempDir
    private Path given;

    @TempDir
    private Path data;

    @Test
    void bothSidesRunAFolderWithTheSameLosses() throws IOException {
        Files.createDirectory(given.resolve("empty"));
        write(Files.createDirectory(given.resolve("a line")));
        List<GraphTask> all = GraphTask.in(given);
        assertEquals(List.of("a_line"), all.stream().map(GraphTask::key).toList());
        all.getFirst().write(data);
        Task task = Task.of("a_line");
        double[] expected = {1, 0.64, 0.4096, 0.262144, 0.16777216};
        for (Peer peer : List.of(new OxbowPeer(1), new TensorFlowPeer(1))) {
            try (Model m = task.prepare(peer, data)) {
                assertArrayEquals(expected, m.check(), 1e-6, peer.getClass().getSimpleName());
            }
        }
        assertTrue(Files.exists(given.resolve("a line").resolve("x.npy")));
    }

    /** {@code (w x - y)^2} for x = 1, y = 0 from w = 1: a step of 0.1 leaves 0.8 of w. */
    private static void write(Path folder) throws IOException {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Parameter w = Parameter.of("w", ops.constant(1f));
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR), y = ops.placeholder("y", DType.F32, Shape.SCALAR);
        Value loss = w.value().times(x).minus(y).square();
        List<Node> updates = Minimiser.descent(0.1).minimise(loss, List.of(w)).nodes();
        graph.addNamed(new Identity(), "loss", List.of(loss.edge()));
        try (var _ = graph.after(updates.toArray(Node[]::new))) {
            graph.addNamed(new NoOp(), "train", List.of());
        }
        Files.write(folder.resolve("graph.pb"), GraphExporter.write(graph).toByteArray());
        Files.writeString(folder.resolve("init.txt"), w.initialiser().name() + "\n");
        Npy.write(folder.resolve("x.npy"), Tensor.scalar(1f));
        Npy.write(folder.resolve("y.npy"), Tensor.scalar(0f));
    }
}
