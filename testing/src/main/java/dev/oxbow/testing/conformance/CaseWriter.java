package dev.oxbow.testing.conformance;

import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.samples.Families;
import dev.oxbow.testing.samples.Sample;
import dev.oxbow.testing.samples.SampleFamily;
import dev.oxbow.wire.GraphParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Writes samples as cases without answers, for TensorFlow to fill in, and compares recorded cases with samples. */
public final class CaseWriter {
    private CaseWriter() {}

    /** Writes the cases of all families, for the recorder: {@code CaseWriter DIRECTORY}. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        for (SampleFamily f : Families.all()) write(f.samples(), directory.resolve(f.name() + ".zip"));
    }

    /** Writes every sample as {@code name/graph.pb} and {@code name/runs.json}. */
    public static void write(List<Sample> samples, Path file) {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Sample s : samples) {
                if (s.unanswered() != null) continue;
                put(zip, s.name() + "/graph.pb", graph(s));
                put(zip, s.name() + "/runs.json", runs(s).getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    /** What is wrong with the recorded answers of these samples: missing, left over, or of another graph. */
    public static List<String> stale(List<Sample> samples, Path file) {
        List<String> wrong = new ArrayList<>();
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (Sample s : samples) {
                if (s.unanswered() != null) continue;
                ZipEntry e = zip.getEntry(s.name() + "/graph.pb");
                if (e == null) wrong.add(s.name() + " has no recorded answer");
                else if (!Arrays.equals(zip.getInputStream(e).readAllBytes(), graph(s)))
                    wrong.add(s.name() + " has changed since its answer was recorded");
            }
            var names = samples.stream().map(Sample::name).collect(Collectors.toSet());
            zip.stream()
                    .map(e -> e.getName().substring(0, e.getName().indexOf('/')))
                    .distinct()
                    .filter(n -> !names.contains(n))
                    .forEach(n -> wrong.add(n + " is recorded but is no sample"));
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
        return wrong;
    }

    private static byte[] graph(Sample s) {
        return GraphParser.serialise(GraphExporter.write(s.graph()));
    }

    private static void put(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        ZipEntry e = new ZipEntry(name);
        e.setTime(0);
        zip.putNextEntry(e);
        zip.write(bytes);
        zip.closeEntry();
    }

    private static String runs(Sample s) {
        return s.runs().stream().map(CaseWriter::run).collect(Collectors.joining(",\n", "[", "]"));
    }

    private static String run(Sample.Run r) {
        return "{\"feeds\": %s, \"fetches\": %s, \"targets\": %s}"
                .formatted(feeds(r.feeds()), strings(r.fetches()), strings(r.targets()));
    }

    private static String feeds(Map<String, Tensor> feeds) {
        return feeds.entrySet().stream()
                .map(e -> Json.quote(e.getKey()) + ": " + tensor(e.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String tensor(Tensor t) {
        String shape = Arrays.toString(t.shape().dims());
        Base64.Encoder base64 = Base64.getEncoder();
        String data = t.dtype() == DType.STRING
                ? Arrays.stream(t.objects())
                        .map(o -> Json.quote(base64.encodeToString((byte[]) o)))
                        .collect(Collectors.joining(", ", "[", "]"))
                : Json.quote(base64.encodeToString(t.bytes()));
        return "{\"dtype\": %s, \"shape\": %s, \"data\": %s}"
                .formatted(Json.quote(t.dtype().tensorFlowName()), shape, data);
    }

    private static String strings(List<String> list) {
        return list.stream().map(Json::quote).collect(Collectors.joining(", ", "[", "]"));
    }
}
