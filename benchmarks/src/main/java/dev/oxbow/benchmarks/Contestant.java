package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A system that can take part, and how its process is started with its best settings.
 *
 * @param build the build of Oxbow that it is; null for a peer
 */
record Contestant(String key, boolean isPython, Build build) {
    static final List<Contestant> ALL = List.of(
            oxbow(Build.own()),
            new Contestant("tf-java", false, null),
            new Contestant("tf-java-onednn", false, null),
            new Contestant("djl", false, null),
            new Contestant("jax", true, null),
            new Contestant("torch", true, null),
            new Contestant("tf", true, null),
            new Contestant("tf-xla", true, null));

    static Contestant oxbow(Build build) {
        return new Contestant(build.name(), false, build);
    }

    boolean isOxbow() {
        return build != null;
    }

    /** Whether it takes part in {@code --graphs}. */
    boolean readsGraphs() {
        return isOxbow() || key.startsWith("tf-java");
    }

    static Optional<Contestant> of(String key) {
        return ALL.stream().filter(c -> c.key.equals(key)).findFirst();
    }

    static List<String> keys() {
        return ALL.stream().map(Contestant::key).toList();
    }

    /** Starts it with its data in {@code folder}; {@code work} keeps caches and logs. */
    ChildProcess start(int threads, Path folder, Path work) throws IOException {
        List<String> command = new ArrayList<>();
        if (isPython) {
            command.add(Python.executable(work).toString());
            command.add(Python.scripts().resolve("child.py").toString());
        } else {
            command.addAll(isOxbow() ? build.java() : Build.own().peerJava());
            if (isOxbow()) command.addAll(1, StartArchive.flags(build));
            command.add("-Dorg.bytedeco.javacpp.cachedir=" + work.resolve("cache/javacpp"));
            command.add(Main.class.getName());
            command.add("child");
        }
        command.addAll(List.of(isOxbow() ? "oxbow" : key, Integer.toString(threads), folder.toString()));
        return ChildProcess.start(key, command, environment(threads, work), work.resolve("bench-" + key + ".log"));
    }

    /** OpenMP threads that spin while they wait cost four times the speed on shared cores. */
    private Map<String, String> environment(int threads, Path work) {
        Map<String, String> e = new HashMap<>();
        e.put("OMP_NUM_THREADS", Integer.toString(threads));
        e.put("OMP_WAIT_POLICY", "PASSIVE");
        e.put("TF_CPP_MIN_LOG_LEVEL", "2");
        e.put("TF_ENABLE_ONEDNN_OPTS", key.equals("tf-java") ? "0" : "1");
        e.put("CUDA_VISIBLE_DEVICES", "");
        e.put("PYTHONDONTWRITEBYTECODE", "1");
        e.put("DJL_CACHE_DIR", work.resolve("cache/djl").toString());
        e.put("DJL_OFFLINE", "true");
        e.put("OPT_OUT_TRACKING", "true");
        return e;
    }
}
