package dev.oxbow.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README's example does what it says, and says what is here. */
final class ReadmeTest {

    @Test
    void theExampleFindsTheWeights() {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 2));
        Value y = ops.placeholder("y", DType.F32, Shape.of(-1, 1));
        Parameter w = Parameter.of("w", ops.constant(Tensor.of(Shape.of(2, 1), 0f, 0f)));
        Parameter b = Parameter.of("b", ops.constant(Tensor.of(Shape.of(1), 0f)));
        Value loss = x.matMul(w.value()).plus(b.value()).minus(y).square().mean();
        Node[] step = Minimiser.descent(0.1).minimise(loss, List.of(w, b)).targets();
        try (Session session = Session.open(graph)) {
            session.target(w.initialiser(), b.initialiser()).run();
            Tensor xs = Tensor.of(Shape.of(4, 2), 0f, 0f, 0f, 1f, 1f, 0f, 1f, 1f);
            Tensor ys = Tensor.of(Shape.of(4, 1), 1f, 3f, 4f, 6f);
            for (int i = 0; i < 500; i++)
                session.feed(x.edge(), xs).feed(y.edge(), ys).target(step).run();
            assertArrayEquals(
                    new float[] {3, 2},
                    session.fetch(w.value().edge()).run().get(0).floats(),
                    0.01f);
        }
    }

    @Test
    void theOpOfContributingIsTheFile() throws IOException {
        String page = Files.readString(Path.of("..", "CONTRIBUTING.md"));
        int start = page.indexOf("```java") + "```java".length();
        String shown = page.substring(start, page.indexOf("```", start)).strip();
        Path file = Path.of("..", "ops", "src", "main", "java", "dev", "oxbow", "ops", "math", "Softsign.java");
        assertTrue(Files.readString(file).strip().endsWith(shown), shown);
    }

    @Test
    void theLinesOfTheExampleAreInTheReadme() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        for (String line : List.of(
                "Value loss = x.matMul(w.value()).plus(b.value()).minus(y).square().mean();",
                "Node[] step = Minimiser.descent(0.1).minimise(loss, List.of(w, b)).targets();",
                "for (int i = 0; i < 500; i++) session.feed(x.edge(), xs).feed(y.edge(), ys).target(step).run();")) {
            assertTrue(readme.contains(line), line);
        }
    }
}
