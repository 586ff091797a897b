package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ops take for the name of a file. */
final class FileNamesTest {

    @Test
    void tensorFlowsWordForLocalFilesMayStandBeforeAPath(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "hello");
        for (String name : List.of(file.toString(), "file://" + file)) {
            Graph g = new Graph();
            Ops ops = Ops.in(g);
            Value content = Value.apply(Ops.named("ReadFile", Map.of()), ops.constant(Tensor.scalar(name)));
            try (Session session = Session.open(g);
                    Tensor t = session.fetch(content.edge()).run().get(0)) {
                assertEquals(List.of("hello"), t.strings());
            }
        }
    }
}
