package dev.oxbow.testing.conformance;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A zip file of cases, each a folder with {@code graph.pb} and either {@code runs.json} or {@code in/} and {@code out/}. Thread-safe. */
public final class CaseArchive implements AutoCloseable {

    /*
     * A folder with runs.json is a recorded session. A folder without is one run: its feeds are
     * in/NAME:PORT.npy, its fetches and answers out/NAME:PORT.npy, where '/' in a name is written %2F.
     */

    private static final String GRAPH = "graph.pb";
    private static final String RUNS = "runs.json";

    private final ZipFile zip;
    private final Map<String, List<ZipEntry>> cases = new TreeMap<>();

    public CaseArchive(Path file) {
        try {
            zip = new ZipFile(file.toFile());
        } catch (IOException e) {
            throw new OxbowException(NOT_FOUND, "conformance: cannot read " + file + ": " + e.getMessage(), e);
        }
        zip.stream()
                .filter(e -> !e.isDirectory() && e.getName().contains("/"))
                .forEach(e -> cases.computeIfAbsent(
                                e.getName().substring(0, e.getName().indexOf('/')), _ -> new ArrayList<>())
                        .add(e));
        cases.values().removeIf(files -> files.stream().noneMatch(e -> inCase(e).equals(GRAPH)));
    }

    /** The cases in alphabetical order. */
    public List<String> names() {
        return List.copyOf(cases.keySet());
    }

    /** The bytes of a case's graph. */
    public byte[] graph(String name) {
        return bytes(zip.getEntry(name + "/" + GRAPH));
    }

    /** Reads one case; its tensors are the caller's to close. */
    Case read(String name) {
        ZipEntry runs = zip.getEntry(name + "/" + RUNS);
        if (runs == null) return new Case(name, graph(name), List.of(singleRun(name)), Tolerance.DECIMALS);
        Object recorded = Json.parse(new String(bytes(runs), StandardCharsets.UTF_8));
        return new Case(
                name,
                graph(name),
                list(recorded, RUNS).stream().map(CaseArchive::run).toList(),
                Tolerance.BITS);
    }

    private Case.Run singleRun(String name) {
        Map<String, Tensor> feeds = new LinkedHashMap<>();
        List<String> fetches = new ArrayList<>();
        List<Answer> outputs = new ArrayList<>();
        for (ZipEntry e : cases.get(name)) {
            String path = inCase(e);
            if (!path.endsWith(".npy")) continue;
            String value = path.substring(path.indexOf('/') + 1, path.length() - ".npy".length())
                    .replace("%2F", "/");
            Tensor tensor = Npy.read(bytes(e));
            if (path.startsWith("in/")) {
                feeds.put(value, tensor);
            } else {
                fetches.add(value);
                outputs.add(Answer.of(tensor));
            }
        }
        return new Case.Run(feeds, fetches, List.of(), outputs, null);
    }

    private static Case.Run run(Object json) {
        Map<?, ?> run = map(json, "run");
        Map<String, Tensor> feeds = new LinkedHashMap<>();
        map(run.get("feeds"), "feeds").forEach((name, value) -> {
            Answer feed = answer(value);
            require(feed.tensor() != null, INVALID_ARGUMENT, "conformance: feed %s (%s) has no data", name, feed);
            feeds.put((String) name, feed.tensor());
        });
        Object outputs = run.get("outputs"), error = run.get("error");
        require(outputs == null ^ error == null, INVALID_ARGUMENT, "conformance: a run has outputs or an error");
        return new Case.Run(
                feeds,
                strings(run.get("fetches"), "fetches"),
                strings(run.get("targets"), "targets"),
                outputs == null
                        ? null
                        : list(outputs, "outputs").stream()
                                .map(CaseArchive::answer)
                                .toList(),
                (String) error);
    }

    private static Answer answer(Object json) {
        Map<?, ?> value = map(json, "tensor");
        DType dtype = DType.ofName(String.valueOf(value.get("dtype")));
        Shape shape = Shape.of(list(value.get("shape"), "shape").stream()
                .mapToLong(d -> ((Number) d).longValue())
                .toArray());
        Object data = value.get("data");
        if (dtype == DType.RESOURCE || dtype == DType.VARIANT) return new Answer(dtype, shape, null);
        if (dtype == DType.STRING) {
            Object[] elements = strings(data, "data").stream()
                    .map(Base64.getDecoder()::decode)
                    .toArray();
            return Answer.of(Tensor.ofObjects(dtype, shape, elements));
        }
        require(data instanceof String, INVALID_ARGUMENT, "conformance: data of %s%s is not a string", dtype, shape);
        byte[] bytes = Base64.getDecoder().decode((String) data);
        return Answer.of(Tensor.ofBytes(dtype, shape, ByteBuffer.wrap(bytes)));
    }

    private static List<?> list(Object json, String what) {
        if (json instanceof List<?> list) return list;
        throw new OxbowException(INVALID_ARGUMENT, "conformance: " + what + " is not a list: " + json);
    }

    private static Map<?, ?> map(Object json, String what) {
        if (json instanceof Map<?, ?> map) return map;
        throw new OxbowException(INVALID_ARGUMENT, "conformance: " + what + " is not an object: " + json);
    }

    private static List<String> strings(Object json, String what) {
        return list(json, what).stream().map(String.class::cast).toList();
    }

    /** The path of a file below its case's folder. */
    private static String inCase(ZipEntry e) {
        return e.getName().substring(e.getName().indexOf('/') + 1);
    }

    private byte[] bytes(ZipEntry e) {
        try (var in = zip.getInputStream(e)) {
            return in.readAllBytes();
        } catch (IOException io) {
            throw new UncheckedIOException(e.getName(), io);
        }
    }

    @Override
    public void close() {
        try {
            zip.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
