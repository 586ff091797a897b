package dev.oxbow.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The module order of ARCHITECTURE.md, checked on poms, module descriptors and sources. */
final class LayeringTest {
    /** A module may depend only on modules before it; {@code engine} stands for every {@code engine-*}. */
    private static final List<String> ORDER = List.of(
            "tensor",
            "kernels",
            "natives",
            "wire",
            "graph",
            "ops",
            "runtime",
            "cuda",
            "net",
            "collective",
            "cluster",
            "parallel",
            "data",
            "parquet",
            "train",
            "observe",
            "library",
            "examples",
            "actor",
            "engine",
            "testing",
            "interop",
            "cli",
            "benchmarks",
            "bom");

    /** Modules that may print and exit, because they are programs. */
    private static final List<String> PROGRAMS = List.of("testing", "cli", "examples", "benchmarks");

    /** Modules that may bring the optional native kernels along; all others find them by ServiceLoader or not at all. */
    private static final List<String> WITH_NATIVES = List.of("library", "cli", "examples", "benchmarks", "bom");

    /** The module that users name: it has the others behind it, and no name of its own. */
    private static final String LIBRARY = "library";

    /** Modules that run beside peers, whose jars are no modules. */
    private static final List<String> ON_CLASS_PATH = List.of("interop", "benchmarks");

    private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");
    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");
    private static final Pattern REQUIRES =
            Pattern.compile("requires\\s+(?:transitive\\s+|static\\s+)*dev\\.oxbow\\.([a-z.]+);");
    private static final Pattern FOREIGN_LOGGING =
            Pattern.compile("log4j|logback|commons-logging|jul-to-slf4j|slf4j-(?!api)|jboss-logging|flogger");
    private static final Pattern FORBIDDEN = Pattern.compile(
            "System\\.(out|err|exit)\\b|Runtime\\.getRuntime\\(\\)\\.(exit|halt)|java\\.util\\.logging|System\\.Logger"
                    + "|\\.printStackTrace\\(\\)");

    /** The one line that a program gets without asking: what it loses by its flags, where it logs nowhere. */
    private static final String UNHEARD = "if (log instanceof NOPLogger) System.err.println(\"oxbow: \" + lost)";

    private final Path root = root();

    @Test
    void modulesAreBuiltInTheirOrder() throws IOException {
        List<String> modules = modules();
        assertTrue(modules.contains("tensor"), () -> "no tensor in " + modules);
        List<String> sorted = modules.stream()
                .sorted((a, b) -> Integer.compare(position(a), position(b)))
                .toList();
        assertEquals(sorted, modules);
    }

    @Test
    void everyPomDependsOnEarlierModulesOnly() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String module : modules()) {
            for (String dependency : matches(DEPENDENCY, root.resolve(module).resolve("pom.xml"))) {
                if (dependency.contains("<scope>test</scope>")) continue;
                String artifact = dependency.replaceAll("(?s).*<artifactId>(.*?)</artifactId>.*", "$1");
                if (artifact.startsWith("oxbow-")) {
                    checkArrow(module, artifact.substring("oxbow-".length()), wrong);
                } else if (!PROGRAMS.contains(module)
                        && FOREIGN_LOGGING.matcher(artifact).find()) {
                    wrong.add(module + " logs through " + artifact + ", not only slf4j-api");
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void everyModuleDescriptorHasItsNameAndRequiresEarlierModulesOnly() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String module : modules()) {
            Path sources = root.resolve(module).resolve("src/main/java");
            if (!Files.exists(sources) || ON_CLASS_PATH.contains(module)) continue;
            Path descriptor = sources.resolve("module-info.java");
            if (!Files.exists(descriptor)) {
                wrong.add(module + " has no module-info.java");
                continue;
            }
            String name = module.equals(LIBRARY) ? "dev.oxbow" : "dev.oxbow." + module.replace('-', '.');
            if (!Files.readString(descriptor).contains("module " + name + " {")) {
                wrong.add(module + " is not called " + name);
            }
            if (!module.equals("kernels") && Files.readString(descriptor).contains("requires jdk.incubator"))
                wrong.add(module + " uses the Vector API, which is for kernels alone");
            matches(REQUIRES, descriptor).forEach(to -> checkArrow(module, to.replace('.', '-'), wrong));
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void sourcesOfAModuleAreInItsPackage() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String module : modules()) {
            Path sources = root.resolve(module).resolve("src/main/java");
            Path home = sources.resolve("dev/oxbow/" + module.replace('-', '/'));
            for (Path file : javaFiles(sources)) {
                if (!file.startsWith(home) && !file.endsWith("module-info.java")) wrong.add(file.toString());
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void librariesNeitherPrintNorExitNorLogAroundSlf4j() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String module : modules()) {
            if (PROGRAMS.contains(module)) continue;
            for (Path file : javaFiles(root.resolve(module).resolve("src/main/java"))) {
                int number = 0;
                for (String line : Files.readAllLines(file)) {
                    number++;
                    if (FORBIDDEN.matcher(line).find() && !line.strip().startsWith(UNHEARD)) {
                        wrong.add(root.relativize(file) + ":" + number + ": " + line.strip());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static void checkArrow(String from, String to, List<String> wrong) {
        if (position(to) >= position(from)) wrong.add(from + " depends on " + to + ", which is not before it");
        if (to.equals("natives") && !WITH_NATIVES.contains(from))
            wrong.add(from + " depends on natives, which is optional");
    }

    private static int position(String module) {
        int at = ORDER.indexOf(module.startsWith("engine-") ? "engine" : module);
        assertTrue(at >= 0, () -> "module " + module + " has no place in the order");
        return at;
    }

    private List<String> modules() throws IOException {
        return matches(MODULE, root.resolve("pom.xml"));
    }

    private static List<String> matches(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map((MatchResult m) -> m.group(1))
                .toList();
    }

    private static List<Path> javaFiles(Path folder) throws IOException {
        if (!Files.exists(folder)) return List.of();
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(f -> f.toString().endsWith(".java")).sorted().toList();
        }
    }

    /** The folder with the launcher, at or above the folder that the tests run in. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("oxbow"))) folder = folder.getParent();
        return Objects.requireNonNull(folder, "no folder with the launcher above this one");
    }
}
