package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.conformance.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ConformanceCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    @BeforeEach
    void writeCases() throws IOException {
        String yes = "[{\"feeds\":{},\"fetches\":[\"y:0\"],\"targets\":[],"
                + "\"outputs\":[{\"dtype\":\"bool\",\"shape\":[],\"data\":\"AQ==\"}]}]";
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(folder.resolve("cases.zip")))) {
            for (String name : List.of("no", "unknown", "yes")) {
                zip.putNextEntry(new ZipEntry(name + "/graph.pb"));
                zip.write(name.getBytes(StandardCharsets.UTF_8));
                zip.putNextEntry(new ZipEntry(name + "/runs.json"));
                zip.write(yes.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void failuresAreListedAndTheStatusIsOne() {
        assertEquals(1, run());
        assertEquals("""
                FAIL no: y:0: 1 of 1 elements of bool[] differ; element 0 is false, wanted true
                MISSING OP                                BLOCKS   ALONE
                Unknown                                        1       1
                passed 1 of 3, 1 need ops that are missing
                """, out.toString().replace("\r\n", "\n"));
    }

    @Test
    void missingOpsAloneAreNoFailure() {
        assertEquals(0, run("--only", "^(yes|unknown)$", "--verbose"));
        assertTrue(
                out.toString().startsWith("need unknown: Unknown" + System.lineSeparator() + "ok   yes ("),
                out::toString);
    }

    @Test
    void resultsAreWrittenAsJson() throws IOException {
        Path json = folder.resolve("results.json");
        run("--json", json.toString());
        assertTrue(Files.readString(json).contains("\"passed\": 1, \"failed\": 1, \"blocked\": 1"));
    }

    private int run(String... options) {
        return new CommandLine(new ConformanceCommand(_ -> new YesEngine()))
                .setOut(new PrintWriter(out, true))
                .execute(concat(folder.resolve("cases.zip").toString(), options));
    }

    private static String[] concat(String first, String... rest) {
        String[] all = new String[rest.length + 1];
        all[0] = first;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    /** Answers whether its graph says yes; does not know the graph {@code unknown}. */
    private static final class YesEngine implements Engine {
        @Override
        public String name() {
            return "yes";
        }

        @Override
        public Set<String> missingOps(byte[] graph) {
            return new String(graph, StandardCharsets.UTF_8).equals("unknown") ? Set.of("Unknown") : Set.of();
        }

        @Override
        public Program open(byte[] graph) {
            boolean yes = new String(graph, StandardCharsets.UTF_8).equals("yes");
            return new Program() {
                @Override
                public List<Tensor> run(
                        Map<String, Tensor> feeds, List<String> fetches, List<String> targets, Duration deadline) {
                    return List.of(Tensor.scalar(yes));
                }

                @Override
                public void close() {}
            };
        }
    }
}
