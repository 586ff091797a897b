package dev.oxbow.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which packages and classes of a module need each other, read from its sources. */
final class CyclesTest {
    /** Packages that still need each other, for each module; a cycle that is gone must leave this list. */
    private static final Map<String, Set<Set<String>>> KNOWN = Map.of(
            // a graph makes arguments, invalid nodes and back edges, and what it makes are ops of the core
            "graph", Set.of(Set.of("dev.oxbow.graph", "dev.oxbow.graph.core")),
            // the fluent API names ops, and ops are written with it
            "ops",
                    Set.of(Set.of(
                            "dev.oxbow.ops",
                            "dev.oxbow.ops.array",
                            "dev.oxbow.ops.flow",
                            "dev.oxbow.ops.linalg",
                            "dev.oxbow.ops.math",
                            "dev.oxbow.ops.nn",
                            "dev.oxbow.ops.random",
                            "dev.oxbow.ops.state")));

    /** The most classes of the runtime that may need each other. */
    private static final int MOST_CLASSES = 8;

    private static final Pattern PACKAGE = Pattern.compile("package ([a-z0-9.]+);");
    private static final Pattern QUALIFIED = Pattern.compile("\\b(dev\\.oxbow(?:\\.[a-z]\\w*)+)\\.([A-Z]\\w*|\\*)");
    private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w*");
    private static final Pattern NO_CODE = Pattern.compile(
            "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+'");

    /** A class by its file. */
    private record Source(String home, String name, String code) {}

    @Test
    void packagesOfAModuleDoNotNeedEachOther() throws IOException {
        Map<String, Set<Set<String>>> found = new TreeMap<>();
        for (String module : modules()) {
            Collection<Source> sources = sources(module);
            Set<String> packages = new HashSet<>();
            sources.forEach(s -> packages.add(s.home));
            Map<String, Set<String>> needs = new TreeMap<>();
            for (Source s : sources) {
                Set<String> all = needs.computeIfAbsent(s.home, k -> new TreeSet<>());
                Matcher m = QUALIFIED.matcher(s.code);
                while (m.find())
                    if (packages.contains(m.group(1)) && !m.group(1).equals(s.home)) all.add(m.group(1));
            }
            Set<Set<String>> cycles = new HashSet<>(cycles(needs));
            if (!cycles.isEmpty()) found.put(module, cycles);
        }
        assertEquals(new TreeMap<>(KNOWN), found);
    }

    @Test
    void fewClassesOfTheRuntimeNeedEachOther() throws IOException {
        for (Set<String> cycle : cycles(classes("runtime")))
            assertTrue(cycle.size() <= MOST_CLASSES, () -> cycle.size() + " classes need each other: " + cycle);
    }

    /** By class of a module, those of the module that it names. */
    private Map<String, Set<String>> classes(String module) throws IOException {
        Collection<Source> sources = sources(module);
        Map<String, Set<String>> byPackage = new HashMap<>();
        for (Source s : sources)
            byPackage.computeIfAbsent(s.home, k -> new HashSet<>()).add(s.name);
        Map<String, Set<String>> needs = new TreeMap<>();
        for (Source s : sources) {
            Map<String, String> visible = new HashMap<>();
            for (String n : byPackage.get(s.home)) visible.put(n, s.home + "." + n);
            Matcher m = QUALIFIED.matcher(s.code);
            while (m.find())
                if (byPackage.getOrDefault(m.group(1), Set.of()).contains(m.group(2)))
                    visible.put(m.group(2), m.group(1) + "." + m.group(2));
            Set<String> all = needs.computeIfAbsent(s.home + "." + s.name, k -> new TreeSet<>());
            Matcher words = WORD.matcher(s.code.replaceAll("(?m)^import .*;$", ""));
            while (words.find()) if (visible.containsKey(words.group())) all.add(visible.get(words.group()));
            all.remove(s.home + "." + s.name);
        }
        return needs;
    }

    /** The sets of two or more that reach each other. */
    private static List<Set<String>> cycles(Map<String, Set<String>> needs) {
        Map<String, Set<String>> reached = new LinkedHashMap<>();
        for (String from : needs.keySet()) {
            Set<String> seen = new TreeSet<>();
            Deque<String> work = new ArrayDeque<>(needs.get(from));
            while (!work.isEmpty()) {
                String next = work.pop();
                if (seen.add(next)) work.addAll(needs.getOrDefault(next, Set.of()));
            }
            reached.put(from, seen);
        }
        List<Set<String>> all = new ArrayList<>();
        for (String a : reached.keySet()) {
            Set<String> cycle = new TreeSet<>();
            for (String b : reached.get(a))
                if (reached.getOrDefault(b, Set.of()).contains(a)) cycle.add(b);
            if (cycle.size() > 1 && !all.contains(cycle)) all.add(cycle);
        }
        return all;
    }

    private static List<String> modules() throws IOException {
        try (Stream<Path> folders = Files.list(root())) {
            return folders.filter(f -> Files.exists(f.resolve("src/main/java")))
                    .map(f -> f.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static Collection<Source> sources(String module) throws IOException {
        List<Source> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root().resolve(module).resolve("src/main/java"))) {
            for (Path f :
                    files.filter(p -> p.toString().endsWith(".java")).sorted().toList()) {
                String name = f.getFileName().toString().replace(".java", "");
                if (name.endsWith("-info")) continue;
                String code = NO_CODE.matcher(Files.readString(f)).replaceAll("");
                Matcher m = PACKAGE.matcher(code);
                assertTrue(m.find(), () -> f + " is in no package");
                all.add(new Source(m.group(1), name, code));
            }
        }
        return all;
    }

    /** The folder with the launcher, at or above the folder that the tests run in. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("oxbow"))) folder = folder.getParent();
        return Objects.requireNonNull(folder, "no folder with the launcher above this one");
    }
}
