package dev.oxbow.testing.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What kernels of queues, tables, text, random and sparse numbers or variables cannot do is refused: nothing is lost, and nothing hangs. */
final class RefusedRequestsTest {
    private static final long HUGE = 1L << 40;

    private final Graph graph = new Graph();

    /** One op on inputs whose shapes only the step knows, and how it is refused. */
    private record Refusal(
            String op, Map<String, Object> attributes, List<Tensor> inputs, ErrorCode code, String message) {}

    private static Refusal refusal(
            String op, Map<String, Object> attributes, ErrorCode code, String message, Tensor... inputs) {
        return new Refusal(op, attributes, List.of(inputs), code, message);
    }

    private static List<Refusal> refusals() {
        Tensor two = matrix(2, 1, 0, 1), one = Tensor.of(Shape.of(1), 1f), none = Tensor.of(Shape.of(0), new String[0]);
        return List.of(
                refusal(
                        "SparseTensorDenseAdd",
                        Map.of(),
                        INVALID_ARGUMENT,
                        "must equal dimension 0",
                        two,
                        one,
                        longs(4),
                        Tensor.of(Shape.of(4), 1f, 2f, 3f, 4f)),
                refusal(
                        "SparseAddGrad",
                        Map.of(),
                        INVALID_ARGUMENT,
                        "must equal dimension 0",
                        one,
                        matrix(1, 1, 0),
                        matrix(1, 1, 0),
                        two),
                refusal(
                        "SparseSliceGrad",
                        Map.of(),
                        INVALID_ARGUMENT,
                        "must equal dimension 0",
                        one,
                        two,
                        longs(0),
                        two),
                refusal(
                        "SparseReshape",
                        Map.of(),
                        INVALID_ARGUMENT,
                        "2 entries in the empty shape",
                        two,
                        longs(0),
                        longs(0)),
                refusal("SparseReshape", Map.of(), INVALID_ARGUMENT, "must not be negative", two, longs(-1), longs(-1)),
                refusal(
                        "SerializeManySparse",
                        Map.of(),
                        RESOURCE_EXHAUSTED,
                        "Java heap",
                        matrix(1, 2, 0, 0),
                        one,
                        longs(Integer.MAX_VALUE, 4)),
                refusal(
                        "RaggedGather",
                        Map.of("OUTPUT_RAGGED_RANK", 1L),
                        INVALID_ARGUMENT,
                        "row splits",
                        longs(0, 1000),
                        one,
                        longs(0)),
                refusal(
                        "StringNGrams",
                        Map.of(
                                "separator",
                                " ",
                                "ngram_widths",
                                List.of((long) Integer.MAX_VALUE),
                                "left_pad",
                                "l",
                                "right_pad",
                                "r",
                                "pad_width",
                                -1L,
                                "preserve_short_sequences",
                                true),
                        RESOURCE_EXHAUSTED,
                        "Java heap",
                        Tensor.of(Shape.of(1), "a"),
                        longs(0, 1)),
                refusal(
                        "DecodeCSV",
                        Map.of("select_cols", List.of(-2L)),
                        INVALID_ARGUMENT,
                        "select_cols must not be negative, got -2",
                        Tensor.scalar("1,2"),
                        one),
                refusal(
                        "StaticRegexFullMatch",
                        Map.of("pattern", ".*.*.*.*.*.*.*.*z"),
                        RESOURCE_EXHAUSTED,
                        "the pattern looks at 400 characters",
                        Tensor.scalar("x".repeat(400))),
                refusal(
                        "StaticRegexFullMatch",
                        Map.of("pattern", "(a|b)*c"),
                        RESOURCE_EXHAUSTED,
                        "deeper than the stack",
                        Tensor.scalar("ab".repeat(1 << 17))),
                refusal(
                        "FixedUnigramCandidateSampler",
                        Map.of(
                                "num_true", 1L,
                                "num_sampled", 3L,
                                "unique", true,
                                "range_max", 3L,
                                "unigrams", List.of(1f, 0f, 0f),
                                "seed", 1L),
                        INVALID_ARGUMENT,
                        "different classes of 3",
                        matrix(1, 1, 0)),
                refusal(
                        "LearnedUnigramCandidateSampler",
                        Map.of("num_true", 1L, "num_sampled", 1L, "unique", true, "range_max", HUGE),
                        RESOURCE_EXHAUSTED,
                        "Java heap",
                        matrix(1, 1, 0)),
                refusal(
                        "StatelessRandomGammaV2",
                        Map.of(),
                        INVALID_ARGUMENT,
                        "must end with broadcasted shape",
                        longs(3),
                        longs(1, 2),
                        Tensor.of(Shape.of(2), 1f, 2f)),
                refusal(
                        "WriteFile",
                        Map.of(),
                        INVALID_ARGUMENT,
                        "'contents' must be a scalar",
                        Tensor.scalar("never"),
                        none),
                refusal("GetSessionTensor", Map.of("dtype", DType.F32), INVALID_ARGUMENT, "must be a scalar", none),
                refusal(
                        "StagePeek",
                        Map.of("dtypes", List.of(DType.F32)),
                        INVALID_ARGUMENT,
                        "must not be negative",
                        Tensor.scalar(-1)),
                refusal(
                        "TensorListFromTensor",
                        Map.of("element_dtype", DType.F32),
                        RESOURCE_EXHAUSTED,
                        "Java heap",
                        Tensor.zeros(DType.F32, Shape.of(HUGE, 0)),
                        Tensor.scalar(-1)),
                refusal("MatchingFiles", Map.of(), INVALID_ARGUMENT, "is not a pattern of names", Tensor.scalar("a[")));
    }

    @TestFactory
    Stream<DynamicTest> anOpRefuses() {
        return refusals().stream()
                .map(r -> dynamicTest(r.op + ": " + r.message, () -> {
                    OxbowException e = assertThrows(OxbowException.class, () -> run(r.op, r.attributes, r.inputs));
                    assertEquals(r.code, e.code(), e::getMessage);
                    assertTrue(e.getMessage().contains(r.message), e::getMessage);
                }));
    }

    private static List<Tensor> run(String op, Map<String, Object> attributes, List<Tensor> inputs) {
        Graph g = new Graph();
        Map<String, Tensor> feeds = new LinkedHashMap<>();
        List<Edge> edges = new ArrayList<>();
        for (Tensor t : inputs) {
            Edge e = g.add(new Placeholder(t.dtype(), Shape.UNKNOWN), List.of()).edge(0);
            feeds.put(e.node().name() + ":0", t);
            edges.add(e);
        }
        Node n = g.add(OpRegistry.get().definition(op).create(new HashMap<>(attributes)), edges);
        try (Session s = Session.open(g)) {
            List<String> fetches = n.outputCount() > 0 ? List.of(n.name() + ":0") : List.of();
            return List.copyOf(s.run(feeds, fetches, List.of(n.name())));
        }
    }

    private static Tensor longs(long... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private static Tensor matrix(int rows, int columns, long... values) {
        return Tensor.of(Shape.of(rows, columns), values);
    }

    @Test
    void aLengthBeyondTheEndTakesTheRest() {
        Tensor y = run(
                        "Substr",
                        Map.of(),
                        List.of(Tensor.scalar("abc"), Tensor.scalar(1L), Tensor.scalar(Long.MAX_VALUE)))
                .get(0);
        assertEquals(List.of("bc"), y.strings());
    }

    @Test
    void rowsWithoutElementsCostNothing() {
        List<Tensor> inputs = List.of(longs(0, HUGE), Tensor.zeros(DType.F32, Shape.of(HUGE, 0)));
        Tensor indices =
                run("RaggedTensorToSparse", Map.of("RAGGED_RANK", 1L), inputs).get(0);
        assertEquals(Shape.of(0, 3), indices.shape());
    }

    // ops that need others beside them

    private Node add(String op, Map<String, Object> attributes, Edge... inputs) {
        return graph.add(OpRegistry.get().definition(op).create(new HashMap<>(attributes)), List.of(inputs));
    }

    private Edge constant(Tensor t) {
        return graph.add(new Const(t), List.of()).edge(0);
    }

    private static void refused(Session s, Node n, ErrorCode code, String message) {
        OxbowException e = assertThrows(
                OxbowException.class,
                () -> s.run(Map.of(), List.of(), List.of(n.name())).close());
        assertEquals(code, e.code(), e::getMessage);
        assertTrue(e.getMessage().contains(message), e::getMessage);
    }

    @Test
    void aTupleThatIsNotWhatWasDeclaredStaysStaged() {
        Map<String, Object> one = Map.of("dtypes", List.of(DType.F32), "shared_name", "stage");
        Node put = add("Stage", one, constant(Tensor.scalar(3f)));
        Node wrong = add("Unstage", Map.of("dtypes", List.of(DType.F32, DType.I64), "shared_name", "stage"));
        Node other = add("Unstage", Map.of("dtypes", List.of(DType.I64), "shared_name", "stage"));
        Node right = add("Unstage", one);
        try (Session s = Session.open(graph)) {
            s.run(Map.of(), List.of(), List.of(put.name())).close();
            refused(s, wrong, INVALID_ARGUMENT, "wanted were");
            refused(s, other, INVALID_ARGUMENT, "wanted were");
            try (var out = s.run(Map.of(), List.of(right.name() + ":0"), List.of())) {
                assertArrayEquals(new float[] {3}, out.get(0).floats());
            }
        }
    }

    @Test
    void aMapOfStagedTuplesRefusesAnIndexTwiceAndOtherTypes() {
        List<DType> types = List.of(DType.F32, DType.F32);
        Edge key = constant(Tensor.scalar(7L)), both = constant(Tensor.of(Shape.of(2), 0, 1));
        Edge twice = constant(Tensor.of(Shape.of(2), 0, 0)), value = constant(Tensor.scalar(3f));
        Map<String, Object> put = Map.of("dtypes", types, "fake_dtypes", types, "shared_name", "map");
        Map<String, Object> get = Map.of("dtypes", types, "shared_name", "map");
        Node stage = add("MapStage", put, key, both, value, value),
                again = add("MapStage", put, key, twice, value, value);
        Node unstage = add("MapUnstage", get, key, twice), right = add("MapUnstage", get, key, both);
        Node more = add(
                "MapUnstageNoKey",
                Map.of("dtypes", List.of(DType.F32, DType.F32, DType.F32), "shared_name", "map"),
                both);
        Node other = add("MapPeek", Map.of("dtypes", List.of(DType.F32, DType.I64), "shared_name", "map"), key, both);
        try (Session s = Session.open(graph)) {
            refused(s, again, INVALID_ARGUMENT, "given twice");
            s.run(Map.of(), List.of(), List.of(stage.name())).close();
            refused(s, unstage, INVALID_ARGUMENT, "given twice");
            refused(s, more, INVALID_ARGUMENT, "2 indices and 3 values");
            refused(s, other, INVALID_ARGUMENT, "wanted were");
            s.run(Map.of(), List.of(right.name() + ":1"), List.of()).close();
        }
    }

    @Test
    void anAccumulatorGivesOnlyItsOwnType() {
        for (String kind : List.of("ConditionalAccumulator", "SparseConditionalAccumulator")) {
            Edge a = add(kind, Map.of("dtype", DType.F32, "shape", Shape.of(2))).edge(0);
            Edge step = constant(Tensor.scalar(0L)), one = constant(Tensor.scalar(1));
            boolean sparse = kind.startsWith("Sparse");
            Node put = sparse
                    ? add(
                            "SparseAccumulatorApplyGradient",
                            Map.of("has_known_shape", false),
                            a,
                            step,
                            constant(longs(1)),
                            constant(Tensor.of(Shape.of(1), 1f)),
                            constant(longs(2)))
                    : add("AccumulatorApplyGradient", Map.of(), a, step, constant(Tensor.of(Shape.of(2), 1f, 2f)));
            String take = sparse ? "SparseAccumulatorTakeGradient" : "AccumulatorTakeGradient";
            Node wrong = add(take, Map.of("dtype", DType.F64), a, one),
                    right = add(take, Map.of("dtype", DType.F32), a, one);
            try (Session s = Session.open(graph)) {
                s.run(Map.of(), List.of(), List.of(put.name())).close();
                refused(s, wrong, INVALID_ARGUMENT, "wanted was f64");
                s.run(Map.of(), List.of(), List.of(right.name())).close();
            }
        }
    }

    @Test
    void aQueueRefusesMoreRowsThanTheHeapHasRoomFor() {
        Edge q = add("FIFOQueueV2", Map.of("component_types", List.of(DType.F32)))
                .edge(0);
        Edge rows = constant(Tensor.zeros(DType.F32, Shape.of(HUGE, 0)));
        Node put = add("QueueEnqueueManyV2", Map.of(), q, rows);
        try (Session s = Session.open(graph)) {
            refused(s, put, RESOURCE_EXHAUSTED, "Java heap");
        }
    }

    @Test
    void aDenseTableRefusesALoadThatNoHeapHolds() {
        Edge t = add(
                        "MutableDenseHashTableV2",
                        Map.of("value_dtype", DType.F32, "max_load_factor", 1e-30f),
                        constant(Tensor.scalar(-1L)),
                        constant(Tensor.scalar(-2L)))
                .edge(0);
        Node put = add("LookupTableInsertV2", Map.of(), t, constant(longs(1)), constant(Tensor.of(Shape.of(1), 1f)));
        try (Session s = Session.open(graph)) {
            refused(s, put, RESOURCE_EXHAUSTED, "Java heap");
        }
    }

    @Test
    void aDenseTableWhosePlacesWereAllUsedOnceStillKnowsWhatItHasNot() {
        Edge t = add(
                        "MutableDenseHashTableV2",
                        Map.of("value_dtype", DType.F32, "initial_num_buckets", 4L),
                        constant(Tensor.scalar(-1L)),
                        constant(Tensor.scalar(-2L)))
                .edge(0);
        Edge value = constant(Tensor.of(Shape.of(1), 1f));
        try (Session s = Session.open(graph)) {
            for (long k = 0; k < 4; k++) {
                Node put = add("LookupTableInsertV2", Map.of(), t, constant(longs(k)), value);
                Node remove = add("LookupTableRemoveV2", Map.of(), t, constant(longs(k)));
                s.run(Map.of(), List.of(), List.of(put.name())).close();
                s.run(Map.of(), List.of(), List.of(remove.name())).close();
            }
            Node missing = add("LookupTableRemoveV2", Map.of(), t, constant(longs(9)));
            s.run(Map.of(), List.of(), List.of(missing.name())).close();
        }
    }

    @Test
    void randomNumbersOfATypeThatNoGeneratorHasAreRefused() {
        Map<String, Object> state = Map.of("dtype", DType.I64, "shape", Shape.of(3));
        Edge v = add("VarHandleOp", state).edge(0);
        Node init = add("AssignVariableOp", Map.of(), v, constant(longs(0, 0, 1)));
        Edge shape = constant(longs(1000));
        Node draw = add("StatefulUniformFullInt", Map.of("dtype", DType.I8), v, constant(Tensor.scalar(1L)), shape);
        Node normal =
                add("StatefulStandardNormalV2", Map.of("dtype", DType.STRING), v, constant(Tensor.scalar(1L)), shape);
        try (Session s = Session.open(graph)) {
            s.run(Map.of(), List.of(), List.of(init.name())).close();
            refused(s, draw, INVALID_ARGUMENT, "not of i8");
            refused(s, normal, INVALID_ARGUMENT, "no normal numbers of string");
        }
    }

    @Test
    void aVariableIsOnlyUpdatedByItsOwnType() {
        Edge v = add("VarHandleOp", Map.of("dtype", DType.I8, "shape", Shape.of(2)))
                .edge(0);
        Node init = add("AssignVariableOp", Map.of(), v, constant(Tensor.zeros(DType.I8, Shape.of(2))));
        Edge fed = graph.add(new Placeholder(DType.RESOURCE, Shape.SCALAR), List.of())
                .edge(0);
        Node add = add("AssignAddVariableOp", Map.of(), fed, constant(Tensor.of(Shape.of(2), 1d, 2d)));
        Edge alpha = constant(Tensor.scalar(1d));
        Node step = add("ResourceApplyGradientDescent", Map.of(), fed, alpha, constant(Tensor.of(Shape.of(2), 1d, 2d)));
        Node gather = add("ResourceGather", Map.of("dtype", DType.F64), fed, constant(longs(1)));
        try (Session s = Session.open(graph)) {
            s.run(Map.of(), List.of(), List.of(init.name())).close();
            try (var handle = s.run(Map.of(), List.of(v.node().name() + ":0"), List.of())) {
                Map<String, Tensor> feeds = Map.of(fed.node().name() + ":0", handle.get(0));
                for (Node n : List.of(add, step, gather)) {
                    OxbowException e = assertThrows(
                            OxbowException.class,
                            () -> s.run(feeds, List.of(), List.of(n.name())).close());
                    assertEquals(INVALID_ARGUMENT, e.code(), e::getMessage);
                    assertTrue(e.getMessage().contains("the variable is i8"), e::getMessage);
                }
            }
        }
    }
}
