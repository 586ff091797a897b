package dev.oxbow.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ConformanceTest {
    private static final Pattern ALL = Pattern.compile("");
    private static final String FETCH_Y = "\"feeds\":{},\"fetches\":[\"y:0\"],\"targets\":[]";

    @TempDir
    private Path folder;

    private final Map<String, byte[]> files = new TreeMap<>();
    private final FakeEngine engine = new FakeEngine();

    @AfterEach
    void everyProgramIsClosed() {
        assertEquals(0, engine.open.get());
    }

    @Test
    void aGraphPassesWhenItsAnswersAreNear() throws Exception {
        add("near", "one two", "out/scope%2Fy:0.npy", npy(1.0005f, 2));
        assertInstanceOf(Result.Passed.class, only());
    }

    @Test
    void aGraphFailsWithTheValueAndTheFirstDifference() throws Exception {
        add("far", "one two", "out/scope%2Fy:0.npy", npy(1, 3));
        assertEquals("scope/y:0: 1 of 2 elements of f32[2] differ; element 1 is 2.0, wanted 3.0", reasonOfOnly());
    }

    @Test
    void feedsOfAGraphAreFed() throws Exception {
        files.put("echo/in/x:0.npy", npy(5, 6));
        add("echo", "echo", "out/x:0.npy", npy(5, 6));
        assertInstanceOf(Result.Passed.class, only());
    }

    @Test
    void runsOfASessionShareItsState() throws Exception {
        add(
                "counts",
                "count",
                "runs.json",
                runs(
                        "{" + FETCH_Y + ",\"outputs\":[" + i32(1) + "]}",
                        "{" + FETCH_Y + ",\"outputs\":[" + i32(2) + "]}"));
        add(
                "miscounts",
                "count",
                "runs.json",
                runs(
                        "{" + FETCH_Y + ",\"outputs\":[" + i32(1) + "]}",
                        "{" + FETCH_Y + ",\"outputs\":[" + i32(3) + "]}"));
        List<Result> results = run(ALL).results();
        assertInstanceOf(Result.Passed.class, results.get(0));
        assertEquals("run 1: y:0: 1 of 1 elements of i32[] differ; element 0 is 2, wanted 3", reason(results.get(1)));
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void anExpectedErrorIsComparedByItsCode(ErrorCode code) throws Exception {
        add(
                "as-expected",
                code.name(),
                "runs.json",
                runs("{" + FETCH_Y + ",\"error\":\"" + Conformance.pythonName(code) + "\"}"));
        add("other", code.name(), "runs.json", runs("{" + FETCH_Y + ",\"error\":\"SomeError\"}"));
        add("unexpected", code.name(), "runs.json", runs("{" + FETCH_Y + ",\"outputs\":[" + i32(1) + "]}"));
        List<Result> results = run(ALL).results();
        assertInstanceOf(Result.Passed.class, results.get(0));
        assertEquals("wanted SomeError, got " + code + ": it failed", reason(results.get(1)));
        assertEquals(code + ": it failed", reason(results.get(2)));
    }

    @Test
    void pythonNamesFollowTheStatusCodes() {
        assertEquals("InvalidArgumentError", Conformance.pythonName(ErrorCode.INVALID_ARGUMENT));
        assertEquals("OutOfRangeError", Conformance.pythonName(ErrorCode.OUT_OF_RANGE));
        assertEquals("AbortedError", Conformance.pythonName(ErrorCode.ABORTED));
    }

    @Test
    void valuesWhereAnErrorIsExpectedAreAFailure() throws Exception {
        add("lenient", "one two", "runs.json", runs("{" + FETCH_Y + ",\"error\":\"NotFoundError\"}"));
        assertEquals("wanted NotFoundError, got values [f32[2]]", reasonOfOnly());
    }

    @Test
    void aRunThatNeverEndsInTensorFlowGetsAShortDeadline() throws Exception {
        add("waits", "patience", "runs.json", runs("{" + FETCH_Y + ",\"error\":\"DeadlineExceededError\"}"));
        assertInstanceOf(Result.Passed.class, only());
    }

    @Test
    void aHangingCaseFailsWithThePlaceWhereItHangs() throws Exception {
        add("hangs", "hang", "out/y:0.npy", npy(1, 2));
        add("later", "one two", "out/y:0.npy", npy(1, 2));
        List<Result> results =
                run(new Conformance(engine, Duration.ofMillis(500), 1), ALL, 2).results();
        String reason = reason(results.get(0));
        assertTrue(reason.startsWith("did not end in 0.5 s; it is at "), reason);
        assertInstanceOf(Result.Passed.class, results.get(1));
        while (engine.open.get() > 0) Thread.onSpinWait();
    }

    @Test
    void aGraphThatIsRefusedAnswersEachOfItsRunsWithThatError() throws Exception {
        String error = "{" + FETCH_Y + ",\"error\":\"InvalidArgumentError\"}";
        add("all-wrong", "refuse", "runs.json", runs(error, error));
        add("half-right", "refuse", "runs.json", runs(error, "{" + FETCH_Y + ",\"outputs\":[" + i32(1) + "]}"));
        List<Result> results = run(ALL).results();
        assertInstanceOf(Result.Passed.class, results.get(0));
        assertEquals("opening the graph: INVALID_ARGUMENT: graph refused", reason(results.get(1)));
    }

    @Test
    void crashesAndWrongCountsAreFailuresOfTheCase() throws Exception {
        add("crash", "crash", "out/y:0.npy", npy(1, 2));
        add("few", "nothing", "out/y:0.npy", npy(1, 2));
        List<Result> results = run(ALL).results();
        assertTrue(reason(results.get(0)).startsWith("IllegalStateException: crashed at "), reason(results.get(0)));
        assertEquals("wanted 1 values, got 0", reason(results.get(1)));
    }

    @Test
    void aFileThatCannotBeReadFailsItsCaseOnly() throws Exception {
        add("broken", "one two", "runs.json", "[{".getBytes(StandardCharsets.UTF_8));
        add("whole", "one two", "out/y:0.npy", npy(1, 2));
        List<Result> results = run(ALL).results();
        assertEquals("INVALID_ARGUMENT: JSON: wanted a name at 2, found the end", reason(results.get(0)));
        assertInstanceOf(Result.Passed.class, results.get(1));
    }

    @Test
    void missingOpsAreCountedByWhatTheyBlockAndBlockAlone() throws Exception {
        add("a", "needs Fft Lu", "out/y:0.npy", npy(1, 2));
        add("b", "needs Lu", "out/y:0.npy", npy(1, 2));
        add("c", "one two", "out/y:0.npy", npy(1, 2));
        add("d", "needs Svd", "out/y:0.npy", npy(1, 2));
        Report report = run(ALL);
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        assertEquals("""
                MISSING OP                                BLOCKS   ALONE
                Lu                                             2       1
                Svd                                            1       1
                Fft                                            1       0
                passed 1 of 4, 3 need ops that are missing
                """, text.toString().replace("\r\n", "\n"));
        assertEquals(
                new Result.Blocked("a", Set.of("Fft", "Lu")), report.results().getFirst());
    }

    @Test
    void theJsonReportCanBeRead() throws Exception {
        add("a", "needs Lu", "out/y:0.npy", npy(1, 2));
        add("b", "one two", "out/y:0.npy", npy(1, 3));
        add("c", "one two", "out/y:0.npy", npy(1, 2));
        Map<?, ?> json = assertInstanceOf(Map.class, Json.parse(run(ALL).json()));
        assertEquals(1L, json.get("passed"));
        assertEquals(1L, json.get("failed"));
        assertEquals(1L, json.get("blocked"));
        assertEquals(List.of(Map.of("op", "Lu", "blocks", 1L, "alone", 1L)), json.get("missing"));
        List<?> cases = assertInstanceOf(List.class, json.get("cases"));
        assertEquals(Map.of("case", "a", "result", "blocked", "missing", List.of("Lu")), cases.getFirst());
    }

    @Test
    void onlyAndLimitChooseCases() throws Exception {
        for (String name : List.of("conv.a", "conv.b", "pool.a")) add(name, "one two", "out/y:0.npy", npy(1, 2));
        Conformance conformance = new Conformance(engine, Duration.ofSeconds(20), 2);
        assertEquals(2, run(conformance, Pattern.compile("a$"), 10).results().size());
        assertEquals("conv.a", run(conformance, ALL, 1).results().getFirst().name());
    }

    @Test
    void aMissingArchiveIsNamed() {
        Path none = folder.resolve("none.zip");
        var e = assertThrows(
                OxbowException.class,
                () -> new Conformance(engine, Duration.ofSeconds(1), 1).run(none, ALL, 1, _ -> {}));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
        assertTrue(e.getMessage().startsWith("conformance: cannot read " + none), e.getMessage());
    }

    private Result only() throws Exception {
        List<Result> results = run(ALL).results();
        assertEquals(1, results.size());
        return results.getFirst();
    }

    private String reasonOfOnly() throws Exception {
        return reason(only());
    }

    private static String reason(Result result) {
        return assertInstanceOf(Result.Failed.class, result).reason();
    }

    private Report run(Pattern only) throws Exception {
        return run(new Conformance(engine, Duration.ofSeconds(20), 2), only, Integer.MAX_VALUE);
    }

    private Report run(Conformance conformance, Pattern only, int limit) throws Exception {
        Path zip = folder.resolve("cases.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (var file : files.entrySet()) {
                out.putNextEntry(new ZipEntry(file.getKey()));
                out.write(file.getValue());
            }
        }
        return conformance.run(zip, only, limit, _ -> {});
    }

    private void add(String name, String graph, String path, byte[] content) {
        files.put(name + "/graph.pb", graph.getBytes(StandardCharsets.UTF_8));
        files.put(name + "/" + path, content);
    }

    private static byte[] runs(String... runs) {
        return ("[" + String.join(",", runs) + "]").getBytes(StandardCharsets.UTF_8);
    }

    private static String i32(int value) {
        byte[] bytes = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
        return "{\"dtype\":\"int32\",\"shape\":[],\"data\":\""
                + Base64.getEncoder().encodeToString(bytes) + "\"}";
    }

    private static byte[] npy(float... values) throws IOException {
        String header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }".formatted(values.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) (header.length() + 1), 0});
        out.write((header + "\n").getBytes(StandardCharsets.US_ASCII));
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float v : values) bytes.putFloat(v);
        out.write(bytes.array());
        return out.toByteArray();
    }
}
