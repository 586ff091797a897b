package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench input}: files read beside plain loops of the JVM, tf.data and DALI; exit status 1 when we fail. */
@Command(
        name = "input",
        description = {
            "Times input: JPEGs (random crop, resize to 224, flip, normalise), TFRecord with Examples, CSV, Parquet."
                    + " Systems",
            "are processes of their own, one at a time, in rounds that go back and forth, all on so many threads. What"
                    + " they",
            "decode is compared first: samples within 2 levels of libjpeg's, sums of parsed values equal.",
            "oxbow@java is ours without libturbojpeg. jvm are loops with what the JVM has, a file for each thread:"
                    + " ImageIO,",
            "TensorFlow Java's classes for Examples, String.split, and Apache Parquet's readers of columns. djl is a"
                    + " data set",
            "of DJL with its transforms, tfjava steps of TensorFlow Java with data sets, its parsers and decoders. All"
                    + " check",
            "checksums where there are some, and all make batches of 64 rows; JVMs of others have the parallel"
                    + " collector."
        },
        mixinStandardHelpOptions = true)
final class InputBench implements Callable<Integer> {
    private static final List<String> ROWS = List.of("jpeg", "tfrecord", "csv", "parquet");
    private static final double DEADLINE = 240;
    private static final int LEVELS = 2;

    @Spec
    private CommandSpec spec;

    @Option(names = "--python", description = "Add tf.data and, where it is installed (nvidia-dali-cuda120), DALI.")
    private boolean python;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to a file, too.")
    private Path json;

    @Option(names = "--only", split = ",", paramLabel = "ROW", description = "Of jpeg, tfrecord, csv, parquet.")
    private List<String> only = ROWS;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds (default ${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--seconds", paramLabel = "S", description = "Seconds of a turn (default ${DEFAULT-VALUE}).")
    private double seconds = 2;

    @Option(names = "--threads", paramLabel = "N", description = "Threads of each system (default: all processors).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--images", paramLabel = "FOLDER", description = "Photos as CLASS/NAME.jpg instead of made ones.")
    private Path images;

    private final Map<String, ChildProcess> running = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Main.checkPositive(spec, "--rounds", rounds);
        Path work = Build.own().work(), folder = work.resolve(images == null ? "input" : "input-images");
        Files.createDirectories(folder);
        if (images != null && !Files.exists(folder.resolve("jpeg")))
            Files.createSymbolicLink(folder.resolve("jpeg"), images.toAbsolutePath());
        InputData.make(folder, images == null);
        if (python && !Python.hasOwn(work, "tfdata")) Python.install(work);
        List<String> systems = new ArrayList<>(List.of("oxbow", "oxbow@java", "jvm", "djl", "tfjava"));
        if (python) systems.addAll(List.of("tfdata", "dali"));
        List<Row> rows = new ArrayList<>();
        try {
            for (String name : only) rows.add(time(name, systems, folder, work));
        } finally {
            running.values().forEach(ChildProcess::close);
        }
        Report.table(System.out, rows, systems, Optional.empty());
        if (json != null) Files.writeString(json, Report.json(rows, Optional.empty()));
        return rows.stream().allMatch(r -> r.median("oxbow") != null) ? 0 : 1;
    }

    private Row time(String name, List<String> systems, Path folder, Path work) throws IOException {
        Row row = new Row(name, name.equals("jpeg") ? "images/s" : "examples/s", false);
        List<String> ready = new ArrayList<>();
        double[] wanted = null;
        for (String s : systems) {
            try {
                String[] words = child(s, folder, work).ask(DEADLINE, "prepare " + name);
                double[] numbers = new double[words.length == 1 && words[0].isEmpty() ? 0 : words.length];
                for (int i = 0; i < numbers.length; i++) numbers[i] = Double.parseDouble(words[i]);
                if (wanted == null) wanted = numbers;
                compare(s, wanted, numbers);
                if (name.equals("jpeg")) compareDecoded(s, folder);
                child(s, folder, work).ask(DEADLINE, "run " + name + " " + 2 * seconds);
                ready.add(s);
            } catch (ChildProcess.Absent e) {
                row.fail(s, "absent: " + e.getMessage());
            } catch (ChildProcess.Failure e) {
                row.fail(s, "failed: " + e.getMessage());
            }
        }
        for (int round = 1; round <= rounds; round++)
            for (String s : Rounds.inTurn(round, ready))
                try {
                    String[] words = child(s, folder, work).ask(DEADLINE, "run " + name + " " + seconds);
                    row.add(s, Double.parseDouble(words[0]));
                } catch (ChildProcess.Absent | ChildProcess.Failure e) {
                    row.fail(s, "failed: " + e.getMessage());
                }
        return row;
    }

    private static void compare(String system, double[] wanted, double[] got) throws ChildProcess.Failure {
        for (int i = 0; i < wanted.length; i++)
            if (i >= got.length || Math.abs(wanted[i] - got[i]) > 1e-6 * Math.abs(wanted[i]))
                throw new ChildProcess.Failure("number %d of %s is %s, ours is %s"
                        .formatted(i, system, i < got.length ? got[i] : "missing", wanted[i]));
    }

    private static void compareDecoded(String system, Path folder) throws IOException, ChildProcess.Failure {
        byte[] ours = Files.readAllBytes(folder.resolve("decoded-oxbow"));
        byte[] theirs = Files.readAllBytes(folder.resolve("decoded-" + system));
        if (ours.length != theirs.length)
            throw new ChildProcess.Failure("decoded %d samples, ours are %d".formatted(theirs.length, ours.length));
        int most = 0;
        for (int i = 0; i < ours.length; i++) most = Math.max(most, Math.abs((ours[i] & 255) - (theirs[i] & 255)));
        System.err.println(system + ": samples differ by " + most + " levels at most");
        if (most > LEVELS && system.startsWith("oxbow"))
            throw new ChildProcess.Failure("samples differ by %d levels, allowed are %d".formatted(most, LEVELS));
    }

    private ChildProcess child(String system, Path folder, Path work) throws IOException {
        ChildProcess there = running.get(system);
        if (there != null && there.isAlive()) return there;
        List<String> command = new ArrayList<>();
        boolean isPython = system.equals("tfdata") || system.equals("dali");
        if (isPython) {
            command.add(Python.executable(work, system).toString());
            command.add(Python.scripts().resolve("input.py").toString());
        } else {
            command.addAll(
                    system.startsWith("oxbow")
                            ? Build.own().java()
                            : Build.own().plainJava());
            if (system.equals("oxbow@java")) command.add(1, "-Doxbow.turbojpeg=none");
            command.add(Main.class.getName());
            command.add("input-child");
        }
        command.addAll(List.of(system, Integer.toString(threads), folder.toString()));
        Map<String, String> environment = Map.of("TF_CPP_MIN_LOG_LEVEL", "3", "CUDA_VISIBLE_DEVICES", "");
        ChildProcess child = ChildProcess.start(system, command, environment, work.resolve("bench-" + system + ".log"));
        running.put(system, child);
        return child;
    }
}
