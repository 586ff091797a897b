package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpProvider;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.OpSignature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The lists of ops say what is there, in order, and every signature can be filled from inputs and components. */
final class OpListTest {
    private static final List<Path> ROOTS =
            List.of(Path.of("..", "ops", "src", "main"), Path.of("..", "graph", "src", "main"));

    @Test
    void everyOpClassIsListedOnceAndInOrder() throws IOException {
        Set<String> listed = new TreeSet<>();
        for (OpProvider p : OpRegistry.get().providers()) {
            List<String> names = p.ops();
            assertEquals(names.stream().sorted().toList(), names, p.getClass().getName() + " is not in order");
            for (String n : names) listed.add(p.getClass().getPackageName() + "." + n.substring(n.indexOf('=') + 1));
        }
        Set<String> written = new TreeSet<>();
        for (Path root : ROOTS) {
            Path java = root.resolve("java");
            try (Stream<Path> files = Files.walk(java)) {
                for (Path f : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    if (!Files.readString(f).contains("\n@Signature(")) continue;
                    written.add(java.relativize(f)
                            .toString()
                            .replace(f.getFileSystem().getSeparator(), ".")
                            .replaceAll("\\.java$", ""));
                }
            }
        }
        assertEquals(written, listed);
    }

    @Test
    void everyAttributeIsAComponentOrFollowsFromTheInputsOrHasADefault() {
        List<String> wrong = new ArrayList<>();
        for (String name : OpRegistry.get().names()) {
            OpDefinition d = OpRegistry.get().definition(name);
            Set<String> components = d.attributeNames();
            for (OpSignature.Attribute a : d.signature().attributes()) {
                boolean follows = d.signature().inputs().stream()
                        .anyMatch(i -> a.name().equals(i.typeAttr())
                                || a.name().equals(i.listAttr())
                                || a.name().equals(i.numberAttr()));
                if (!components.contains(a.name()) && !follows && a.defaultValue() == null && !name.endsWith("Const"))
                    wrong.add(name + "." + a.name());
            }
        }
        assertTrue(wrong.isEmpty(), () -> "attributes that nothing gives: " + wrong);
    }

    @Test
    void wireNamesAreThoseOfTheSignatures() {
        Map<String, String> wrong = OpRegistry.get().names().stream()
                .filter(n -> !OpRegistry.get().definition(n).signature().name().equals(n))
                .collect(Collectors.toMap(
                        n -> n, n -> OpRegistry.get().definition(n).signature().name()));
        // what TensorFlow writes where a value lies in the memory of the host
        assertEquals(Map.of("_HostRecv", "_Recv", "_HostSend", "_Send"), wrong);
    }

    @Test
    void providersAreTheSameOnClassPathAndModulePath() throws IOException {
        for (Path root : ROOTS) {
            List<String> services = Files.readAllLines(root.resolve("resources")
                    .resolve("META-INF")
                    .resolve("services")
                    .resolve(OpProvider.class.getName()));
            String module = Files.readString(root.resolve("java").resolve("module-info.java"))
                    .replaceAll("\\s+", " ");
            String provided = module.replaceAll(".*provides dev.oxbow.graph.OpProvider with ([^;]*);.*", "$1");
            assertEquals(
                    services.stream().filter(s -> !s.isBlank()).sorted().toList(),
                    Stream.of(provided.split(",")).map(String::strip).sorted().toList());
        }
    }

    @Test
    void opsAreRecordsOfTheirOwnName() {
        for (String name : OpRegistry.get().names()) {
            Class<?> type = OpRegistry.get().definition(name).type();
            assertTrue(type.isRecord() && Op.class.isAssignableFrom(type), name);
        }
    }
}
