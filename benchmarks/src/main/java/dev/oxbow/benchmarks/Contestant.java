package dev.oxbow.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A system that can take part, and how its process is started with its best settings. */
enum Contestant {
    OXBOW("oxbow", false),
    TF_JAVA("tf-java", false),
    TF_JAVA_ONEDNN("tf-java-onednn", false),
    DJL("djl", false),
    JAX("jax", true),
    TORCH("torch", true),
    TF("tf", true),
    TF_XLA("tf-xla", true);

    private final String key;
    private final boolean isPython;

    Contestant(String key, boolean isPython) {
        this.key = key;
        this.isPython = isPython;
    }

    String key() {
        return key;
    }

    boolean isPython() {
        return isPython;
    }

    static Optional<Contestant> of(String key) {
        return Arrays.stream(values()).filter(c -> c.key.equals(key)).findFirst();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(Contestant::key).toList();
    }

    /** Starts it with its data in {@code folder}; {@code work} keeps caches and logs. */
    ChildProcess start(int threads, Path folder, Path work) throws IOException {
        List<String> command = new ArrayList<>();
        if (isPython) {
            command.add(Python.executable(work).toString());
            command.add(Python.scripts().resolve("child.py").toString());
        } else {
            command.addAll(this == OXBOW ? java() : java(List.of())); // limits on inlining are for our code
            if (this == OXBOW) command.addAll(1, StartArchive.flags(work));
            command.add("-Dorg.bytedeco.javacpp.cachedir=" + work.resolve("cache/javacpp"));
            command.add(Main.class.getName());
            command.add("child");
        }
        command.addAll(List.of(key, Integer.toString(threads), folder.toString()));
        return ChildProcess.start(key, command, environment(threads, work), work.resolve("bench-" + key + ".log"));
    }

    /**
     * The JVM of this process with the same class path and the flags that {@code ./oxbow} gives Oxbow: the heap holds
     * hardly anything, so a collector without threads of its own and a small young generation serve best. The user's
     * own flags come last and win; of collectors a JVM takes only one. The class path is the last word.
     */
    static List<String> java() {
        return java(words(resource("compiler.args")));
    }

    private static List<String> java(List<String> compiler) {
        String own = Objects.requireNonNullElse(System.getenv("OXBOW_JAVA_OPTS"), "");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(words(resource("jvm.args")));
        command.addAll(compiler);
        if (words(own).stream().noneMatch(w -> w.matches("-XX:\\+Use\\w*GC")))
            command.addAll(words(resource("collector.args")));
        command.addAll(words(own));
        command.add("-cp");
        command.add(System.getProperty("java.class.path").replace("::", File.pathSeparator));
        return command;
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }

    private static String resource(String name) {
        try (InputStream in = Contestant.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** OpenMP threads that spin while they wait cost four times the speed on shared cores. */
    private Map<String, String> environment(int threads, Path work) {
        Map<String, String> e = new HashMap<>();
        e.put("OMP_NUM_THREADS", Integer.toString(threads));
        e.put("OMP_WAIT_POLICY", "PASSIVE");
        e.put("TF_CPP_MIN_LOG_LEVEL", "2");
        e.put("TF_ENABLE_ONEDNN_OPTS", this == TF_JAVA ? "0" : "1");
        e.put("CUDA_VISIBLE_DEVICES", "");
        e.put("PYTHONDONTWRITEBYTECODE", "1");
        e.put("DJL_CACHE_DIR", work.resolve("cache/djl").toString());
        e.put("DJL_OFFLINE", "true");
        e.put("OPT_OUT_TRACKING", "true");
        return e;
    }
}
