package dev.oxbow.testing.fuzz;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs a fuzz in processes of its own, since some failures end the process: the number of a trial is written down before
 * it starts, so that a crash has one, and the next process goes on behind it.
 */
public final class ForkedFuzz {
    private static final int MOST_CRASHES = 3;
    private static final long SLOW_MILLIS = 20_000;
    private static final int SLOW = 97;

    private final Class<? extends Fuzz> type;
    private final List<String> flags;
    private final Options options;
    private final PrintStream out;
    private final Map<String, Integer> crashes = new HashMap<>();
    private final Map<String, Long> failures = new LinkedHashMap<>();

    /** What a command line asks for. */
    record Options(double minutes, long seed, Pattern only, long single, long from, Path progress, Set<String> left) {
        static Options of(String[] arguments) {
            Map<String, String> given = new HashMap<>();
            for (int i = 0; i + 1 < arguments.length; i += 2) given.put(arguments[i], arguments[i + 1]);
            String progress = given.get("--progress");
            return new Options(
                    Double.parseDouble(given.getOrDefault("--minutes", "1")),
                    Long.parseLong(given.getOrDefault("--seed", "1")),
                    Pattern.compile(given.getOrDefault("--only", "")),
                    Long.parseLong(given.getOrDefault("--case", "-1")),
                    Long.parseLong(given.getOrDefault("--from", "0")),
                    progress == null ? null : Path.of(progress),
                    new HashSet<>(List.of(given.getOrDefault("--without", "").split(","))));
        }

        /** The seed of a trial: runs with other seeds have no trial in common. */
        long trial(long number) {
            return seed * 1_000_003 + number;
        }
    }

    private ForkedFuzz(Class<? extends Fuzz> type, List<String> flags, Options options, PrintStream out) {
        this.type = type;
        this.flags = flags;
        this.options = options;
        this.out = out;
    }

    /** Does what the arguments say, as parent or as child; the exit status. */
    static int main(
            Class<? extends Fuzz> type,
            Function<Pattern, ? extends Fuzz> make,
            List<String> flags,
            String[] arguments,
            PrintStream out)
            throws Exception {
        Options options = Options.of(arguments);
        if (options.single >= 0) return one(make.apply(options.only), options, out);
        if (options.progress != null) return child(make.apply(options.only), options, out);
        return new ForkedFuzz(type, flags, options, out).run().isEmpty() ? 0 : 1;
    }

    /** Runs {@code type} for some minutes in other processes; each kind of failure with a trial that shows it. */
    public static Map<String, Long> run(
            Class<? extends Fuzz> type, List<String> flags, double minutes, long seed, PrintStream out)
            throws Exception {
        Options options = Options.of(new String[] {"--minutes", "" + minutes, "--seed", "" + seed});
        return new ForkedFuzz(type, flags, options, out).run();
    }

    private static int one(Fuzz fuzz, Options options, PrintStream out) throws Exception {
        Fuzz.Trial t = fuzz.trial(options.trial(options.single));
        out.println(t.subject());
        Throwable e = t.run();
        t.describe(out);
        if (e != null) e.printStackTrace(out);
        return e == null ? 0 : 1;
    }

    // the child: trials in order, each written down before it starts

    private static int child(Fuzz fuzz, Options options, PrintStream out) throws Exception {
        long end = System.nanoTime() + (long) (options.minutes * 60e9);
        try (var file = new RandomAccessFile(options.progress.toFile(), "rw")) {
            MappedByteBuffer at = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 256);
            long[] started = {System.nanoTime()};
            watch(started);
            for (long n = options.from; System.nanoTime() < end; n++) {
                Fuzz.Trial t = fuzz.trial(options.trial(n));
                if (options.left.contains(t.subject())) continue;
                at.putLong(0, n);
                byte[] subject = t.subject().getBytes(StandardCharsets.UTF_8);
                at.putInt(8, Math.min(subject.length, 200)).put(12, subject, 0, Math.min(subject.length, 200));
                started[0] = System.nanoTime();
                Throwable e = t.run();
                if (e != null) out.println("FAILURE " + n + " " + t.subject() + " " + text(e));
            }
        }
        return 0;
    }

    private static void watch(long[] started) {
        Thread.ofPlatform().daemon().start(() -> {
            while (true) {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException e) {
                    return;
                }
                if (System.nanoTime() - started[0] > SLOW_MILLIS * 1_000_000)
                    Runtime.getRuntime().halt(SLOW);
            }
        });
    }

    /** The kind of a failure: what was thrown and where, without the values of the case. */
    private static String text(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) root = root.getCause();
        StackTraceElement[] trace = root.getStackTrace();
        String where = Stream.of(trace)
                .filter(f -> f.getClassName().startsWith("dev.oxbow"))
                .limit(3)
                .map(f -> f.getFileName() + ":" + f.getLineNumber())
                .reduce((a, b) -> a + " < " + b)
                .orElse("?");
        return root.getClass().getSimpleName() + ": "
                + String.valueOf(root.getMessage()).lines().findFirst().orElse("") + " at " + where;
    }

    // the parent

    private Map<String, Long> run() throws Exception {
        long end = System.nanoTime() + (long) (options.minutes * 60e9), from = 0;
        Path folder = Files.createTempDirectory("oxbow-fuzz"), progress = folder.resolve("progress");
        out.printf("%s: seed %d, %.1f minutes%n", type.getSimpleName(), options.seed, options.minutes);
        while (System.nanoTime() < end) {
            double left = (end - System.nanoTime()) / 60e9;
            Process p = start(folder, progress, from, left);
            read(p);
            int status = p.waitFor(1, TimeUnit.MINUTES) ? p.exitValue() : SLOW;
            p.destroyForcibly();
            long[] at = new long[1];
            String subject = at(progress, at);
            from = at[0] + 1;
            if (status == 0) continue;
            int count = crashes.merge(subject, 1, Integer::sum);
            String how =
                    status == SLOW ? "takes more than " + SLOW_MILLIS / 1000 + " s" : "ends the process with " + status;
            report(at[0], subject, how + frame(folder), count == 1);
        }
        delete(folder);
        out.printf("%d trials, %d kinds of failure%n", from, failures.size());
        return failures;
    }

    private Process start(Path folder, Path progress, long from, double minutes) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(
                List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", "-Doxbow.memory=2000000000"));
        String kernels = System.getProperty("oxbow.kernels");
        if (kernels != null) command.add("-Doxbow.kernels=" + kernels);
        command.addAll(flags);
        String modules = System.getProperty("jdk.module.path", ""), classes = System.getProperty("java.class.path", "");
        command.addAll(List.of("-cp", classes + File.pathSeparator + patched(modules), type.getName()));
        command.addAll(List.of("--minutes", "" + minutes, "--seed", "" + options.seed, "--from", "" + from));
        command.addAll(List.of("--only", options.only.pattern(), "--progress", progress.toString()));
        Set<String> left = new TreeSet<>();
        crashes.forEach((subject, n) -> {
            if (n >= MOST_CRASHES) left.add(subject);
        });
        command.addAll(List.of("--without", String.join(",", left)));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static String patched(String modules) {
        return Stream.of(modules.split(Pattern.quote(File.pathSeparator)))
                .map(m ->
                        Files.isDirectory(Path.of(m)) && !Files.exists(Path.of(m, "module-info.class")) ? m + "/*" : m)
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElse("");
    }

    private void read(Process p) throws IOException {
        try (BufferedReader lines = p.inputReader()) {
            for (String line; (line = lines.readLine()) != null; ) {
                if (!line.startsWith("FAILURE ")) continue;
                String[] parts = line.split(" ", 4);
                report(Long.parseLong(parts[1]), parts[2], parts.length > 3 ? parts[3] : "", true);
            }
        }
    }

    private void report(long number, String subject, String text, boolean isNew) {
        String kind = subject + ": " + text.replaceAll("-?\\d{2,}", "N");
        if (failures.putIfAbsent(kind, number) == null && isNew)
            out.printf("%s: %s (--seed %d --case %d)%n", subject, text, options.seed, number);
    }

    private static String at(Path progress, long[] number) throws IOException {
        ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(progress));
        number[0] = b.getLong(0);
        byte[] subject = new byte[b.getInt(8)];
        b.get(12, subject);
        return new String(subject, StandardCharsets.UTF_8);
    }

    /** The first frames of ours in the JVM's report of a crash. */
    private static String frame(Path folder) throws IOException {
        StringBuilder s = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path f : files.filter(f -> f.getFileName().toString().startsWith("hs_err"))
                    .toList()) {
                List<String> frames = Files.readAllLines(f).stream()
                        .filter(l -> l.contains("dev.oxbow.") && l.matches("^[Jjv] .*"))
                        .limit(4)
                        .map(l -> l.replaceAll(".*dev\\.oxbow\\.([\\w.$]+)\\(.*", "$1"))
                        .toList();
                s.append(" in ").append(String.join(" < ", frames));
                Files.delete(f);
            }
        }
        return s.toString();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path f : files.sorted((a, b) -> b.compareTo(a)).toList()) Files.delete(f);
        }
    }
}
