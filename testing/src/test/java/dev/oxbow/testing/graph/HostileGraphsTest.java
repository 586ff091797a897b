package dev.oxbow.testing.graph;

import static dev.oxbow.testing.graph.Graphs.call;
import static dev.oxbow.testing.graph.Graphs.constant;
import static dev.oxbow.testing.graph.Graphs.function;
import static dev.oxbow.testing.graph.Graphs.integer;
import static dev.oxbow.testing.graph.Graphs.node;
import static dev.oxbow.testing.graph.Graphs.placeholder;
import static dev.oxbow.testing.graph.Graphs.tensor;
import static dev.oxbow.testing.graph.Graphs.type;
import static dev.oxbow.testing.graph.HostileProcess.doubled;
import static dev.oxbow.testing.graph.HostileProcess.graph;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Limits;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Small graphs that ask for much: each is refused before anything is taken, or gives a result. */
@Timeout(300)
final class HostileGraphsTest {

    @Test
    void aNodeWithBillionsOfOutputsIsRefused() {
        NodeDef.Builder split = node("Split", "s", "axis", "x")
                .putAttr("num_split", integer(Integer.MAX_VALUE))
                .putAttr("T", type(DataType.DT_FLOAT));
        refused(
                "Split: a node has at most 65,536 outputs, 'output' wants 2,147,483,647 beyond 0 (node s)",
                constant("axis", tensor(DataType.DT_INT32).addIntVal(0)),
                placeholder("x", DataType.DT_FLOAT),
                split);
    }

    @Test
    void constantsThatRepeatAValueAreRefusedBeforeTheyAreMade() {
        long before = MemoryPool.shared().peakBytes();
        refused(
                "GraphDef: at most 67,108,864 bytes of constants repeat a value, 0 do and this one wants 1,600,000,000"
                        + " (node c)",
                constant("c", tensor(DataType.DT_STRING, 200_000_000)));
        refused(
                "GraphDef: at most 67,108,864 bytes of constants repeat a value, 0 do and this one wants 1,677,721,596"
                        + " (node c)",
                constant("c", tensor(DataType.DT_FLOAT, 1 << 20, 400).addFloatVal(1)));
        List<NodeDef.Builder> many = new ArrayList<>();
        for (int i = 0; i < 100; i++)
            many.add(constant("c" + i, tensor(DataType.DT_FLOAT, 1 << 18).addFloatVal(1)));
        GraphDef def = graph(many);
        var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertTrue(e.getMessage().endsWith("(node c64)"), e.getMessage());
        assertTrue(MemoryPool.shared().peakBytes() - before < 100 << 20);
    }

    /*
     * An error may take 100 MB: 80 of heap, beyond which the process ends at once (whoever catches the error), and 20 of
     * native memory. The time is measured where it is quiet; here it only must not run away.
     */

    @Test
    void smallGraphsFailInLittleMemoryOrGiveAResult(@TempDir Path folder) throws Exception {
        Path out = folder.resolve("out"), err = folder.resolve("err");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx80m",
                        "-XX:MaxDirectMemorySize=4m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "--add-modules=jdk.incubator.vector",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        String.join(
                                File.pathSeparator,
                                System.getProperty("java.class.path", ""),
                                System.getProperty("jdk.module.path", ""),
                                Path.of("target/classes").toAbsolutePath().toString(),
                                Path.of("target/test-classes").toAbsolutePath().toString()),
                        HostileProcess.class.getName())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertEquals(0, process.waitFor(), () -> read(out) + read(err));
        List<String> ends = new ArrayList<>();
        for (String line : Files.readAllLines(out)) {
            String[] words = line.split(" ");
            ends.add(words[0] + ": " + words[2]);
            assertTrue(Integer.parseInt(words[3]) < 20_000, line);
            assertTrue(Long.parseLong(words[4]) < 20 << 20, line);
        }
        assertEquals(
                List.of(
                        "split-2: result",
                        "split-2147483647: RESOURCE_EXHAUSTED",
                        "split-60000: INVALID_ARGUMENT",
                        "strings: RESOURCE_EXHAUSTED",
                        "floats: RESOURCE_EXHAUSTED",
                        "eight-floats: RESOURCE_EXHAUSTED",
                        "doubled-16: RESOURCE_EXHAUSTED",
                        "doubled-22: RESOURCE_EXHAUSTED",
                        "shapes: result"),
                ends,
                () -> read(err));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void limitsCanBeSet() {
        GraphDef def =
                graph(List.of(constant("c", tensor(DataType.DT_FLOAT, 1024).addFloatVal(1))));
        GraphImporter.read(def, Limits.defaults().withRepeatedBytes(4092));
        for (Limits l : List.of(
                Limits.defaults().withRepeatedBytes(4091), Limits.defaults().withConstantBytes(4095))) {
            var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def, l));
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        }
    }

    @Test
    void functionsThatDoubleAtEveryCallAreCountedBeforeTheyAreExpanded() {
        Graph g = GraphImporter.read(doubled(40));
        var e = assertThrows(OxbowException.class, () -> explain(g));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertTrue(e.getMessage().contains("expand to at most 131,072 nodes"), e.getMessage());
    }

    @Test
    void functionsThatAllCallEachOtherAreCountedToo() {
        GraphDef.Builder def = GraphDef.newBuilder();
        for (int i = 0; i < 16; i++) {
            List<NodeDef.Builder> calls = new ArrayList<>();
            String value = "x";
            for (int j = 0; j < 16; j++) {
                calls.add(call("c" + j, "f" + j, value));
                value = "c" + j + ":output:0";
            }
            def.getLibraryBuilder().addFunction(function("f" + i, value, calls.toArray(NodeDef.Builder[]::new)));
        }
        def.addNode(placeholder("x", DataType.DT_FLOAT)).addNode(call("y", "f0", "x"));
        Graph g = GraphImporter.read(def.build());
        var e = assertThrows(OxbowException.class, () -> explain(g));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
    }

    @Test
    void functionsThatDoubleWithinTheLimitAreExplained() {
        assertTrue(explain(GraphImporter.read(doubled(13))).contains("inline"));
    }

    @Test
    void functionsAThousandDeepRun() {
        GraphDef def = nested(1_000);
        Graph g = GraphImporter.read(def);
        explain(g);
        try (Session s = Session.open(g, EngineOptions.defaults().withThreads(1));
                Tensor x = Tensor.scalar(2f)) {
            List<Tensor> y = s.run(Map.of("x:0", x), List.of("y:0"), List.of());
            assertEquals(2f, y.get(0).getDouble(0));
            y.forEach(Tensor::close);
        }
        var e = assertThrows(
                OxbowException.class,
                () -> GraphImporter.read(def, Limits.defaults().withCallDepth(999)));
        assertEquals("function f999: functions call each other at most 999 deep, got 1,000 (node y)", e.getMessage());
    }

    @Test
    void aFunctionWhoseAttributeGrowsWithEveryCallIsRefused() {
        NodeDef.Builder again = node("f", "again", "x");
        var grown = AttrValue.newBuilder();
        grown.getFuncBuilder()
                .setName("g")
                .putAttr("a", AttrValue.newBuilder().setPlaceholder("A").build())
                .putAttr("b", AttrValue.newBuilder().setPlaceholder("A").build());
        again.putAttr("A", grown.build());
        var f = function("f", "again:y:0", again);
        f.getSignatureBuilder().addAttrBuilder().setName("A").setType("func");
        GraphDef.Builder def = GraphDef.newBuilder();
        def.getLibraryBuilder().addFunction(f);
        def.addNode(placeholder("x", DataType.DT_FLOAT));
        def.addNode(node("f", "y", "x").putAttr("A", Graphs.function("h")));
        var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def.build()));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertEquals("function g: its attributes hold more than 1,000 values (node y)", e.getMessage());
    }

    @Test
    void twoHundredThousandInputsAreNoMoreThanALongList() {
        int n = 200_000;
        NodeDef.Builder sum = node("AddN", "y").putAttr("N", integer(n)).putAttr("T", type(DataType.DT_FLOAT));
        for (int i = 0; i < n; i++) sum.addInput("x");
        NodeDef.Builder one = constant("x", tensor(DataType.DT_FLOAT).addFloatVal(1));
        explain(GraphImporter.read(graph(List.of(one, sum))));
        AttrValue two = AttrValue.newBuilder().setShape(Graphs.shape(2)).build();
        Graph g = GraphImporter.read(
                graph(List.of(placeholder("x", DataType.DT_FLOAT).putAttr("shape", two), sum)));
        explain(g);
        try (Session s = Session.open(g, EngineOptions.defaults().withThreads(1));
                Tensor x = Tensor.of(Shape.of(2), 1f, 2f)) {
            for (int run = 0; run < 3; run++) {
                List<Tensor> y = s.run(Map.of("x:0", x), List.of("y:0"), List.of());
                assertEquals(2f * n, y.get(0).getDouble(1));
                y.forEach(Tensor::close);
            }
        }
    }

    @Test
    void longStringsAreNotFolded() {
        List<NodeDef.Builder> nodes = new ArrayList<>();
        nodes.add(constant("s0", tensor(DataType.DT_STRING).addStringVal(ByteString.copyFromUtf8("abcdefgh"))));
        for (int i = 1; i < 40; i++)
            nodes.add(node("StringJoin", "s" + i, "s" + (i - 1), "s" + (i - 1)).putAttr("N", integer(2)));
        explain(GraphImporter.read(graph(nodes)));
    }

    @Test
    void theConditionsOfBranchesInsideOfBranchesShareTheirMemory() {
        List<NodeDef.Builder> nodes = new ArrayList<>(List.of(placeholder("s0", DataType.DT_FLOAT)));
        for (int i = 1; i <= 10_000; i++) {
            nodes.add(placeholder("p" + i, DataType.DT_BOOL));
            nodes.add(node("Switch", "s" + i, "s" + (i - 1), "p" + i).putAttr("T", type(DataType.DT_FLOAT)));
        }
        assertTrue(explain(GraphImporter.read(graph(nodes))).contains("20,0"));
    }

    @Test
    void whatTakesLongOrFailsIsLeftToTheStep() {
        long[] square = {200, 200};
        Graph g = GraphImporter.read(graph(List.of(
                constant("m", tensor(DataType.DT_FLOAT, square).addFloatVal(1)),
                node("MatrixInverse", "inverse", "m").putAttr("T", type(DataType.DT_FLOAT)),
                constant("i", tensor(DataType.DT_INT32).addIntVal(7)),
                constant("axis", tensor(DataType.DT_INT32)),
                constant("v", tensor(DataType.DT_FLOAT, 2).addFloatVal(1)),
                node("GatherV2", "row", "v", "i", "axis")
                        .putAttr("Tparams", type(DataType.DT_FLOAT))
                        .putAttr("Tindices", type(DataType.DT_INT32))
                        .putAttr("Taxis", type(DataType.DT_INT32)))));
        List<Edge> fetches = List.of(g.edge("inverse:0"), g.edge("row:0"));
        String folded = explain(g, fetches, true);
        String last = folded.substring(folded.lastIndexOf("prune:"));
        assertTrue(last.contains("inverse = MatrixInverse") && last.contains("row = GatherV2"), last);
    }

    private static GraphDef nested(int levels) {
        GraphDef.Builder def = GraphDef.newBuilder();
        for (int i = 0; i < levels - 1; i++)
            def.getLibraryBuilder().addFunction(function("f" + i, "a:output:0", call("a", "f" + (i + 1), "x")));
        def.getLibraryBuilder()
                .addFunction(function(
                        "f" + (levels - 1), "n:y:0", node("Abs", "n", "x").putAttr("T", type(DataType.DT_FLOAT))));
        return def.addNode(placeholder("x", DataType.DT_FLOAT))
                .addNode(call("y", "f0", "x"))
                .build();
    }

    private static String explain(Graph g) {
        List<Edge> fetches = new ArrayList<>();
        for (Node n : g.sinks()) fetches.add(n.edge(0));
        return explain(g, fetches, false);
    }

    private static String explain(Graph g, List<Edge> fetches, boolean verbose) {
        try (Session s = Session.open(g)) {
            return s.explain(List.of(), fetches, List.of(), verbose);
        }
    }

    private static void refused(String message, NodeDef.Builder... nodes) {
        GraphDef def = graph(List.of(nodes));
        var e = assertThrows(OxbowException.class, () -> GraphImporter.read(def));
        assertEquals(message, e.getMessage());
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
    }
}
