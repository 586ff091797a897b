package dev.oxbow.benchmarks;

import dev.oxbow.observe.Event;
import dev.oxbow.observe.EventStream;
import dev.oxbow.observe.RunLog;
import dev.oxbow.observe.dashboard.Dashboard;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.wire.event.EventFile;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code bench events}: what an event costs the thread that publishes it, eight writers beside a dashboard, and how long a large
 * run takes to open; exits with 1 where one is over its bar.
 */
@Command(
        name = "events",
        description = "Time events: publishing one, eight writers beside a dashboard, opening a large run.",
        mixinStandardHelpOptions = true)
final class EventBench implements Callable<Integer> {
    private static final int EVENTS = 200_000, WRITERS = 8, RATE = 1_000, RUNS = 100, POINTS = 100_000;
    private static final double MOST_MICROS = 5, MOST_SECONDS = 2;

    @Spec
    private CommandSpec spec;

    @Option(names = "--gigabytes", paramLabel = "N", description = "Of the large run (default ${DEFAULT-VALUE}).")
    private double gigabytes = 2;

    @Option(
            names = "--many",
            paramLabel = "FOLDER",
            description = "Write 100 runs of 100,000 points there for a browser to look at, and do nothing else.")
    private Path many;

    @Option(names = "--seconds", paramLabel = "S", description = "That the eight write (default ${DEFAULT-VALUE}).")
    private int seconds = 10;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (many != null) {
            for (int run = 0; run < RUNS; run++) curve(many.resolve("run-%03d".formatted(run)), run);
            return 0;
        }
        Path home = Files.createTempDirectory("oxbow-events");
        try {
            boolean fine = publishing(out, home.resolve("one"));
            fine &= writers(out, home.resolve("eight"));
            fine &= opening(out, home.resolve("large"));
            return fine ? 0 : 1;
        } finally {
            delete(home);
        }
    }

    /** A loss that falls, with noise, as another program may write it: without an index. */
    private static void curve(Path folder, int run) throws IOException {
        SplittableRandom random = new SplittableRandom(run);
        try (EventFile file = EventFile.create(folder, ".many")) {
            for (int i = 0; i < POINTS; i++) {
                double loss = 2.0 / (1 + i / (3_000.0 + 100 * run)) + 0.1 * random.nextDouble();
                file.write(EventFile.event(i)
                        .setSummary(Summary.newBuilder().addValue(Summaries.scalar("train/loss", loss)))
                        .build()
                        .toByteArray());
            }
        }
    }

    private static Event.Step step(long i) {
        return new Event.Step(i, 0.5, 1_000_000, 1_000, 32);
    }

    /** One event each 50 microseconds, as a very fast training has them, with a file behind it. */
    private static boolean publishing(PrintWriter out, Path folder) {
        long[] nanos = new long[EVENTS];
        try (RunLog log = RunLog.open(folder)) {
            EventStream stream = log.stream();
            for (int i = 0; i < EVENTS; i++) {
                Event e = step(i);
                long start = System.nanoTime();
                stream.publish(e);
                nanos[i] = System.nanoTime() - start;
                while (System.nanoTime() - start < 50_000) Thread.onSpinWait();
            }
            out.printf("publishing: %d events, %d lost%n", EVENTS, stream.lost());
        }
        long[] warm = Arrays.copyOfRange(nanos, EVENTS / 2, EVENTS);
        Arrays.sort(warm);
        double mean = Arrays.stream(warm).average().orElse(0) / 1e3;
        out.printf(
                "            mean %.3f us, median %.3f, 99 %% %.3f, 99.9 %% %.3f, largest %.1f (bar: mean %.0f)%n",
                mean,
                warm[warm.length / 2] / 1e3,
                warm[warm.length * 99 / 100] / 1e3,
                warm[(int) (warm.length * 999L / 1000)] / 1e3,
                warm[warm.length - 1] / 1e3,
                MOST_MICROS);
        out.flush();
        return mean <= MOST_MICROS;
    }

    private boolean writers(PrintWriter out, Path folder) {
        List<Thread> threads = new ArrayList<>();
        long[] lost = new long[WRITERS];
        Runtime jvm = Runtime.getRuntime();
        try (Dashboard _ = Dashboard.start(new Dashboard.Config(List.of(folder), 0))) {
            for (int w = 0; w < WRITERS; w++) {
                int number = w;
                threads.add(Thread.ofPlatform().start(() -> lost[number] = write(folder.resolve("run-" + number))));
            }
            long most = 0;
            for (Thread t : threads) {
                while (t.isAlive()) {
                    most = Math.max(most, jvm.totalMemory() - jvm.freeMemory());
                    LockSupport.parkNanos(10_000_000);
                }
            }
            out.printf(
                    "writers:    %d at %d events a second for %d s beside a dashboard: %d lost, heap at most %d MB%n",
                    WRITERS, RATE, seconds, Arrays.stream(lost).sum(), most >> 20);
            out.flush();
            return true;
        }
    }

    private long write(Path folder) {
        try (RunLog log = RunLog.open(folder)) {
            long start = System.nanoTime();
            for (long i = 0; i < (long) RATE * seconds; i++) {
                log.stream().publish(step(i));
                long next = start + (i + 1) * 1_000_000_000L / RATE;
                while (System.nanoTime() < next) LockSupport.parkNanos(next - System.nanoTime());
            }
            return log.stream().lost();
        }
    }

    private boolean opening(PrintWriter out, Path folder) throws IOException {
        long bytes = 0, wanted = (long) (gigabytes * 1e9), i = 0;
        try (RunLog log = RunLog.open(folder)) {
            while (bytes < wanted) {
                log.stream().publish(step(i++));
                if (i % 4096 == 0) bytes = size(folder, log.stream());
            }
        }
        double first = open(folder);
        Files.delete(folder.resolve(".oxbow-index"));
        double without = open(folder);
        out.printf(
                "opening:    %.2f GB, %d steps: %.3f s at the first look (bar %.0f); %.2f s to read it whole, as of a program"
                        + " that keeps no index%n",
                size(folder) / 1e9, i, first, MOST_SECONDS, without);
        out.flush();
        return first <= MOST_SECONDS;
    }

    /** The size of a folder, once its writer has caught up a little. */
    private static long size(Path folder, EventStream stream) throws IOException {
        long before = stream.lost();
        LockSupport.parkNanos(before > 0 ? 5_000_000 : 1_000_000);
        return size(folder);
    }

    private static long size(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.mapToLong(f -> f.toFile().length()).sum();
        }
    }

    private static double open(Path folder) {
        long start = System.nanoTime();
        try (Runs runs = Runs.read(List.of(folder))) {
            Run r = runs.all().getFirst();
            if (r.first().points("train/loss") == 0) throw new IllegalStateException("no points were found");
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(f -> {
                try {
                    Files.delete(f);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
