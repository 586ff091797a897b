package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the README and the help name, done by {@code ./oxbow} with the jars of this build and the real JDK. */
@Tag("launched")
@Timeout(300)
@DisabledOnOs(OS.WINDOWS)
final class BuiltLauncherTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

    /** A checkout without sources, so that nothing is out of date, whose build is this one. */
    private static Path root;

    /** Where users have their own things. */
    @TempDir
    private static Path home;

    @BeforeAll
    static void makeCheckout() throws IOException {
        Path built = Path.of("target").toRealPath();
        assertTrue(Files.isDirectory(built.resolve("lib")), "these tests come after the phase package");
        root = Files.createTempDirectory(built, "checkout"); // on the same disk, for links
        Files.copy(Path.of("..", "oxbow"), root.resolve("oxbow"));
        for (String folder : List.of("lib", "launch")) {
            Path to = Files.createDirectories(root.resolve("cli/target").resolve(folder));
            try (Stream<Path> files = Files.list(built.resolve(folder))) {
                for (Path file : files.toList()) Files.createLink(to.resolve(file.getFileName()), file);
            }
        }
        Files.createLink(root.resolve("cli/target/oxbow.jar"), built.resolve("oxbow.jar"));
        Files.createFile(Files.createDirectory(root.resolve(".oxbow")).resolve("built"));
        home = home.toRealPath();
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(-1, 64));
        x.matMul(Ops.in(g).constant(Tensor.zeros(DType.F32, Shape.of(64, 10)))).relu();
        Files.write(home.resolve("GRAPH.pb"), GraphParser.serialise(GraphExporter.write(g)));
        Files.copy(Path.of("..", "testing", "src", "test", "answers", "queue.zip"), home.resolve("FILE.zip"));
    }

    @AfterAll
    static void removeCheckout() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
        }
    }

    private record Result(int status, String out, String err) {}

    private static Result oxbow(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(root.resolve("oxbow").toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private static Result run(List<String> command) throws Exception {
        Path out = Files.createTempFile(home, "out", ""), err = Files.createTempFile(home, "err", "");
        ProcessBuilder b = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        b.environment().put("JAVA_HOME", JAVA_HOME.toString());
        Process process = b.start();
        process.getOutputStream().close();
        try {
            assertTrue(process.waitFor(250, TimeUnit.SECONDS), () -> command + " does not end");
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Compiles a program as its author would, with our jars and nothing else; gives the folder of its classes. */
    private static Path compile(String name, String source) throws Exception {
        Path file = home.resolve("src").resolve(name.replace('.', '/') + ".java"), classes = home.resolve("classes");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        Result r = run(List.of(
                JAVA_HOME.resolve("bin/javac").toString(),
                "-d",
                classes.toString(),
                "-cp",
                root.resolve("cli/target/lib") + "/*",
                file.toString()));
        assertEquals(0, r.status, r.err);
        return classes;
    }

    /** Training is cut short, and what stands for a file is one. Those that build, fetch or serve are left out. */
    @TestFactory
    Stream<DynamicTest> everyCommandOfTheReadmeWorks() throws IOException {
        Pattern line = Pattern.compile("^    \\./oxbow (.*?)(?:  +.*)?$", Pattern.MULTILINE);
        List<String> commands = line.matcher(Files.readString(README))
                .results()
                .map(m -> m.group(1))
                .filter(c -> !c.matches("(test|bench|server|dashboard).*"))
                .toList();
        assertTrue(commands.size() >= 8 && commands.stream().anyMatch(c -> c.contains("--java")), commands::toString);
        return commands.stream()
                .map(c -> DynamicTest.dynamicTest(c, () -> {
                    if (c.contains("--java")) compile("com.example.Train", TRAIN);
                    if (c.startsWith("report")) oxbow("train", "--epochs", "1", "--log", c.split(" ")[1]);
                    if (c.startsWith("predict")) save(c.split(" ")[1], c.split(" ")[3]);
                    String whole = c.contains("train") ? c + " --epochs 1" : c;
                    Result r = oxbow(whole.replace("build/classes", "classes").split(" "));
                    assertEquals(0, r.status, () -> r.out + r.err);
                    assertFalse(r.out.isBlank());
                }));
    }

    /** Writes a SavedModel of the digits, and rows for it. */
    private static void save(String folder, String rows) throws Exception {
        oxbow("train", "digits", "--epochs", "1", "--checkpoints", "for-" + folder);
        Result r = oxbow("export", "digits", "--checkpoints", "for-" + folder, "--to", folder);
        assertEquals(0, r.status, r.err);
        try (Tensor x = Tensor.zeros(DType.F32, Shape.of(2, 64))) {
            Npy.write(home.resolve(rows), x);
        }
    }

    private static final String TRAIN = """
            package com.example;
            import dev.oxbow.collective.*;
            import dev.oxbow.kernels.KernelLevel;
            import dev.oxbow.tensor.*;
            public class Train {
                public static void main(String[] arguments) throws Exception {
                    Class.forName("java.net.http.HttpClient"); // a module that Oxbow does not need
                    try (Communicator ranks = Ranks.join(); Tensor x = Tensor.of(Shape.of(2), 1f, ranks.rank())) {
                        ranks.world().allReduce(x).await();
                        System.out.println(java.util.Arrays.toString(x.floats()) + " " + KernelLevel.describe());
                    }
                }
            }
            """;

    @Test
    void aMainClassOfTheUsersSeesEverythingThatOurCommandsSee() throws Exception {
        Path classes = compile("com.example.Train", TRAIN);
        String kernels = oxbow("--version").out.lines().toList().getLast().replaceFirst("^kernels: ", "");
        Result r = oxbow("launch", "-n", "2", "-cp", classes.toString(), "--java", "com.example.Train");
        assertEquals(0, r.status, () -> r.out + r.err);
        assertEquals(
                List.of("[0] [2.0, 1.0] " + kernels, "[1] [2.0, 1.0] " + kernels),
                r.out.lines().sorted().toList());
        assertEquals("", r.err);
    }

    @Test
    void aProgramInASourceFileSeesTheModuleAndPackagesThatItNeeds() throws Exception {
        Files.writeString(home.resolve("Hello.java"), """
                import module dev.oxbow;
                import dev.oxbow.collective.Ranks;
                void main(String[] arguments) throws Exception {
                    Class.forName("java.net.http.HttpClient"); // a module that Oxbow does not need
                    try (Tensor x = Tensor.of(Shape.of(2), 1f, 2f)) {
                        IO.println(Ranks.class.getSimpleName() + Arrays.toString(x.floats()) + arguments[0]);
                    }
                    System.exit(7);
                }
                """);
        Result r = oxbow("run", "Hello.java", "--mine");
        assertEquals(new Result(7, "Ranks[1.0, 2.0]--mine\n", ""), r);
    }

    @Test
    void anExperimentInASourceFileIsTrained() throws Exception {
        Files.writeString(home.resolve("Mine.java"), MINE);
        Result r = oxbow("train", "Mine.java", "--epochs", "1");
        assertEquals(0, r.status, () -> r.out + r.err);
        assertTrue(r.out.contains("test loss"), r.out);
    }

    private static final String MINE = """
            import static dev.oxbow.train.layer.Layers.*;
            import dev.oxbow.tensor.*;
            import dev.oxbow.train.*;
            import dev.oxbow.train.loss.*;
            import dev.oxbow.train.optimizer.*;

            public class Mine implements Experiment {
                public Trainer.Config trainer(Optimizer o, long seed) {
                    return Trainer.of(Model.of(Input.floats("x", 1), dense(1), seed), Losses.squaredError(), o);
                }
                public Data data(long seed) {
                    return new Data(line(), line());
                }
                private static Examples line() {
                    return Examples.of(Tensor.of(Shape.of(2, 1), 0f, 1f), Tensor.of(Shape.of(2, 1), 1f, 3f));
                }
            }
            """;

    @Test
    void theExampleOfTheReadmeRunsWithoutAnyFlagAndWithoutNativeAccess() throws Exception {
        Matcher block = Pattern.compile("## The graph below\\R+```java\\R(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(README));
        assertTrue(block.find());
        Path classes = compile(
                "Example",
                "import dev.oxbow.graph.*;\nimport dev.oxbow.ops.*;\nimport dev.oxbow.ops.gradient.*;\nimport dev.oxbow.runtime.*;\nimport dev.oxbow.tensor.*;\n"
                        + "import java.util.*;\nvoid main() {\n" + block.group(1) + "}\n");
        for (String flag : List.of("--illegal-native-access=warn", "--illegal-native-access=deny")) {
            Result r = run(List.of(
                    JAVA_HOME.resolve("bin/java").toString(),
                    flag,
                    "-cp",
                    classes + ":" + root.resolve("cli/target/lib") + "/*",
                    "Example"));
            assertEquals(0, r.status, r.err);
            assertTrue(r.out.matches("\\[(3\\.0\\d*|2\\.99\\d*), (2\\.0\\d*|1\\.99\\d*)]\\R"), r.out);
            List<String> warnings =
                    r.err.lines().filter(l -> l.contains("KernelLevel")).toList();
            assertEquals(1, warnings.size(), r.err);
            assertTrue(warnings.getFirst().contains("--add-modules jdk.incubator.vector"), r.err);
            assertEquals(flag.endsWith("deny"), warnings.getFirst().contains("--enable-native-access=ALL-UNNAMED"));
        }
    }

    @TestFactory
    Stream<DynamicTest> everyCommandHasHelpAndDoesNothingElse() {
        return Stream.of("ops", "bench", "format", "jdk", "test")
                .map(c -> DynamicTest.dynamicTest(c, () -> {
                    for (List<String> asked : List.of(List.of(c, "--help"), List.of("help", c))) {
                        Result r = oxbow(asked.toArray(String[]::new));
                        assertEquals(0, r.status, r.err);
                        assertTrue(r.out.startsWith("Usage: oxbow " + c), r.out);
                        assertEquals("", r.err);
                    }
                }));
    }

    @Test
    void theHelpNamesEveryCommandAndTheJdkIsPrinted() throws Exception {
        for (String[] asked : new String[][] {{}, {"--help"}, {"help"}}) {
            Result r = oxbow(asked);
            assertEquals(0, r.status, r.err);
            for (String c :
                    List.of("conformance", "explain", "launch", "ops", "train", "bench", "format", "jdk", "test"))
                assertTrue(r.out.contains("\n  " + c + " "), () -> Arrays.toString(asked) + " does not name " + c);
        }
        assertEquals(JAVA_HOME + "\n", oxbow("jdk").out);
    }

    @Test
    void theListOfOpsInTheDocsIsThatOfTheCommand() throws Exception {
        assertEquals(Files.readString(Path.of("..", "docs", "ops.md")), oxbow("ops").out, "./oxbow ops > docs/ops.md");
    }

    @Test
    void kernelsThatDoNotExistAreAUsersError() throws Exception {
        Result r = run(List.of(
                "bash", "-c", "OXBOW_JAVA_OPTS=-Doxbow.kernels=fast '" + root.resolve("oxbow") + "' train --epochs 1"));
        assertEquals(3, r.status, r.err);
        assertEquals("oxbow: -Doxbow.kernels must be native, vector or scalar, got 'fast'\n", r.err);
    }

    /** A limit on the size of files stands for shared memory that is too small. */
    @Test
    void whereSharedMemoryIsTooSmallRanksUseTcpAndSayItOnce() throws Exception {
        String launch = "ulimit -f 512; exec '" + root.resolve("oxbow") + "' launch -n 3 %s -- train --epochs 1";
        Result r = run(List.of("bash", "-c", launch.formatted("")));
        assertEquals(0, r.status, r.out + r.err);
        List<String> said =
                r.err.lines().filter(l -> l.contains("ranks talk over TCP")).toList();
        assertEquals(1, said.size(), r.err);
        assertTrue(said.getFirst().matches(".*: shm: 3 ranks want \\d+\\.\\d MB of shared memory, and .*"), r.err);
        Result strict = run(List.of("bash", "-c", launch.formatted("--transport shm")));
        assertEquals(4, strict.status, strict.out + strict.err);
        assertTrue(strict.err.contains("; --transport tcp (OXBOW_TRANSPORT=tcp) does without"), strict.err);
    }
}
