package dev.oxbow.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One JVM system in a process of its own, driven by lines on standard input: {@code prepare WORKLOAD} builds and
 * answers with the numbers to compare, {@code warm WORKLOAD LEAST MOST} runs until the rate is steady, {@code run
 * WORKLOAD SECONDS} answers with calls per second, {@code release WORKLOAD} forgets it, {@code first WORKLOAD} builds
 * and runs one call, {@code memory WORKLOAD} answers with the bytes by which the process grew while running it, and
 * {@code quit} ends. Answers start with {@code "> "}; {@code benchmarks/python} speaks the same.
 */
final class Child {
    static final String MARK = "> ";

    /** Calls over which memory is watched. */
    private static final int MEMORY_CALLS = 30;

    private static final long SETTLE_MILLIS = 1000;
    private static final int CALM = 4;
    private static final double BETTER = 1.03;

    private final Peer peer;
    private final Path folder;
    private final PrintStream out;
    private final Map<Task, Model> models = new HashMap<>();

    /** The systems that {@link #peer} knows. */
    static final List<String> SYSTEMS = List.of("oxbow", "tf-java", "djl");

    private Child(Peer peer, Path folder, PrintStream out) {
        this.peer = peer;
        this.folder = folder;
        this.out = out;
    }

    /** Serves standard input until it ends. */
    static void serve(String system, int threads, Path folder) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err);
        try (Peer peer = peer(system, threads)) {
            Child child = new Child(peer, folder, out);
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine())
                child.answer(line.split(" "));
        }
    }

    static Peer peer(String system, int threads) {
        return switch (system) {
            case "oxbow", "oxbow-1" -> new OxbowPeer(threads);
            case "tf-java", "tf-java-onednn" -> new TensorFlowPeer(threads);
            case "djl" -> new DjlPeer(threads);
            default -> throw new IllegalArgumentException("no system " + system);
        };
    }

    private void answer(String[] words) {
        String text;
        try {
            text = answer(words[0], Task.of(words[1]), words);
        } catch (UnsupportedOperationException e) {
            text = "none " + e.getMessage();
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
            text = "error " + e.toString().replaceAll("\\s+", " ");
        }
        out.print(MARK + text + "\n");
        out.flush();
    }

    private String answer(String command, Task w, String[] words) throws IOException, InterruptedException {
        return switch (command) {
            case "prepare" -> {
                Model m = w.prepare(peer, folder);
                models.put(w, m);
                yield "ready "
                        + Arrays.stream(m.check()).mapToObj(Double::toString).collect(Collectors.joining(" "));
            }
            case "warm" -> {
                warm(models.get(w), Double.parseDouble(words[2]), Double.parseDouble(words[3]));
                yield "warm";
            }
            case "run" -> "rate " + rate(models.get(w), Double.parseDouble(words[2]));
            case "release" -> {
                Model m = models.remove(w);
                if (m != null) m.close();
                System.gc();
                yield "released";
            }
            case "first" -> {
                w.prepare(peer, folder).step();
                yield "first";
            }
            case "memory" -> "memory " + memory((Workload) w);
            default -> throw new IllegalArgumentException("no command " + command);
        };
    }

    /** Runs until two seconds have brought no better half second, for at least and at most so many seconds. */
    private static void warm(Model m, double least, double most) {
        long start = System.nanoTime();
        double best = 0;
        for (int calm = 0; ; calm++) {
            double now = rate(m, 0.5), elapsed = (System.nanoTime() - start) / 1e9;
            if (elapsed >= most || elapsed >= least && calm >= CALM) return;
            if (now > BETTER * best) calm = 0;
            best = Math.max(best, now);
        }
    }

    static double rate(Model m, double seconds) {
        long start = System.nanoTime(), calls = 0;
        double elapsed;
        do {
            m.step();
            calls++;
            elapsed = (System.nanoTime() - start) / 1e9;
        } while (elapsed < seconds);
        return calls / elapsed;
    }

    /**
     * Code is loaded and compiled first by a smaller model of the same form, large enough for the same kernels. What
     * counts is the highest resident size while the real one runs, beyond that with its parameters and data in memory.
     */
    private long memory(Workload w) throws IOException, InterruptedException {
        Model small = peer.prepare(w, Inputs.read(folder, w.small()));
        warm(small, 3, 10);
        Model m = peer.prepare(w, Inputs.read(folder, w.data()));
        System.gc();
        Thread.sleep(SETTLE_MILLIS); // compilers end what they are at
        System.gc();
        trim();
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        long before = status("VmRSS");
        for (int i = 0; i < MEMORY_CALLS; i++) m.step();
        long peak = status("VmHWM");
        small.close();
        m.close();
        return peak - before;
    }

    /** Gives memory that the C library holds free back to the system: it would hide what is allocated next. */
    @SuppressWarnings("restricted")
    private static void trim() {
        var linker = Linker.nativeLinker();
        var function = linker.defaultLookup().find("malloc_trim");
        if (function.isEmpty()) return;
        var type = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
        try {
            int given = (int) linker.downcallHandle(function.get(), type).invokeExact(0L);
            if (given == 0) System.err.println("malloc_trim found nothing to give back");
        } catch (Throwable e) {
            throw new IllegalStateException("malloc_trim", e);
        }
    }

    private static long status(String key) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(l -> l.startsWith(key + ":"))
                    .mapToLong(l -> Long.parseLong(l.replaceAll("\\D+", "")) * 1024)
                    .findFirst()
                    .orElseThrow();
        }
    }
}
