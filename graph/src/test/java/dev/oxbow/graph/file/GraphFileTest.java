package dev.oxbow.graph.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GraphFileTest {
    @TempDir
    private Path home;

    private final Graph graph = new Graph();

    {
        var c = graph.add(new Const(Tensor.of(Shape.of(2), 1f, 2f)), "c", List.of());
        graph.add(new Identity(), "y", List.of(c.edge(0)));
    }

    @Test
    void aFileAStreamAndBytesGiveTheSameGraph() throws IOException {
        Path file = home.resolve("graph.pb");
        GraphFile.write(graph, file);
        byte[] bytes = Files.readAllBytes(file);
        assertArrayEquals(GraphFile.bytes(graph), bytes);
        for (Graph g : List.of(
                GraphFile.read(file), GraphFile.read(new ByteArrayInputStream(bytes)), GraphFile.parse(bytes))) {
            assertEquals(graph.listing(), g.listing());
        }
    }

    @Test
    void whatIsTornOrMissingIsNamedAndAFileThatCannotBeWrittenLeavesNothing() throws IOException {
        byte[] torn = Arrays.copyOf(GraphFile.bytes(graph), 30);
        assertEquals(
                ErrorCode.DATA_LOSS,
                assertThrows(OxbowException.class, () -> GraphFile.parse(torn)).code());
        Path missing = home.resolve("missing.pb");
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(OxbowException.class, () -> GraphFile.read(missing))
                        .code());
        assertThrows(OxbowException.class, () -> GraphFile.write(graph, missing.resolve("below")));
        try (var files = Files.list(home)) {
            assertEquals(List.of(), files.toList());
        }
    }
}
