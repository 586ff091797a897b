package dev.oxbow.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What memory allows: relu(a*b+c) as one loop in C, or in Java where there is no C compiler. */
final class Bandwidth {
    private static final int SECONDS = 60;

    private final Path program;
    private final int threads;

    private Bandwidth(Path program, int threads) {
        this.program = program;
        this.threads = threads;
    }

    static Bandwidth make(Path work, int threads) throws IOException, InterruptedException {
        Path source = Python.root().resolve("benchmarks/c/fused.c"), program = work.resolve("fused");
        List<String> compile =
                List.of("cc", "-O3", "-march=native", "-pthread", "-o", program.toString(), source.toString());
        try {
            Process p = new ProcessBuilder(compile)
                    .redirectErrorStream(true)
                    .redirectOutput(new File(work.resolve("bench-c.log").toString()))
                    .start();
            if (p.waitFor(SECONDS, TimeUnit.SECONDS) && p.exitValue() == 0) return new Bandwidth(program, threads);
            p.destroyForcibly();
        } catch (IOException e) {
            Files.writeString(work.resolve("bench-c.log"), "there is no cc: " + e.getMessage() + "\n");
        }
        return new Bandwidth(null, threads);
    }

    String name() {
        return program != null ? "a fused loop in C" : "a fused loop in Java, for want of a C compiler";
    }

    /** GB/s in one trial. */
    double measure() throws IOException, InterruptedException {
        if (program == null) return inJava();
        Process p = new ProcessBuilder(program.toString(), Integer.toString(threads)).start();
        if (!p.waitFor(SECONDS, TimeUnit.SECONDS)) {
            p.destroyForcibly();
            throw new IOException("fused.c did not end");
        }
        return Double.parseDouble(new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    private double inJava() throws InterruptedException {
        int n = 16 << 20;
        float[] a = new float[n], b = new float[n], c = new float[n], y = new float[n];
        double best = 0;
        for (int trial = 0; trial < 10; trial++) {
            long start = System.nanoTime();
            Thread[] all = new Thread[threads];
            for (int t = 0; t < threads; t++) {
                int from = (int) ((long) n * t / threads), to = (int) ((long) n * (t + 1) / threads);
                all[t] = Thread.ofPlatform().start(() -> fused(a, b, c, y, from, to));
            }
            for (Thread t : all) t.join();
            best = Math.max(best, 16.0 * n / (System.nanoTime() - start));
        }
        return best;
    }

    private static void fused(float[] a, float[] b, float[] c, float[] y, int from, int to) {
        for (int i = from; i < to; i++) y[i] = Math.max(a[i] * b[i] + c[i], 0);
    }
}
