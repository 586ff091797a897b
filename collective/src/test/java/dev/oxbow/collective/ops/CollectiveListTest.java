package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpProvider;
import dev.oxbow.graph.OpRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of collective ops says what is there, in order, and the registry finds it. */
final class CollectiveListTest {
    private static final Path MAIN = Path.of("src", "main");

    @Test
    void everyOpClassIsListedInOrder() throws IOException {
        List<String> names = new CollectiveOps().ops();
        Path folder = MAIN.resolve("java/dev/oxbow/collective/ops");
        TreeSet<String> written = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path f : files.toList())
                if (Files.readString(f).contains("\n@Signature("))
                    written.add(f.getFileName().toString().replace(".java", ""));
        }
        assertEquals(List.copyOf(written), names);
        String services = Files.readString(MAIN.resolve("resources/META-INF/services/" + OpProvider.class.getName()));
        assertTrue(services.lines().toList().contains(CollectiveOps.class.getName()), services);
    }

    @Test
    void theRegistryMakesEachFromItsAttributes() {
        for (String name : new CollectiveOps().ops()) {
            OpDefinition d = OpRegistry.get().definition(name);
            Op op = d.create(
                    name.startsWith("Rank")
                            ? Map.of("rank", 1L, "key", "k")
                            : name.equals("ViewAll") ? Map.of("count", 2L) : Map.of());
            assertEquals(op, d.create(op.attributes()));
            assertTrue(op.waits() && op.effects() == Effects.WRITES, name);
        }
    }
}
