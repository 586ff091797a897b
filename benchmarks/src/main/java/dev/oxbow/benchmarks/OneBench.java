package dev.oxbow.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench one SYSTEM WORKLOAD}: one workload of one JVM system in this process, for profilers. */
@Command(
        name = "one",
        description =
                "Runs one workload of one JVM system in this process, to be profiled; prints its rate three times.",
        footer = {"", "Example: ./oxbow bench one oxbow mlp --seconds 5"})
final class OneBench implements Callable<Integer> {
    private static final int ROUNDS = 3;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "SYSTEM", description = "oxbow, tf-java or djl.")
    private String system;

    @Parameters(index = "1", paramLabel = "WORKLOAD", description = "Such as mlp, lstm-loop, tiny-add.")
    private String workload;

    @Option(names = "--seconds", defaultValue = "5", description = "Seconds of each measurement, ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(names = "--threads", defaultValue = "2", description = "Threads, ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    @Override
    public Integer call() throws Exception {
        Workload w = Workload.of(workload)
                .orElseThrow(() -> wrong("no workload " + workload + "; there are " + Workload.keys()));
        if (!Child.SYSTEMS.contains(system)) throw wrong("no system " + system + "; there are " + Child.SYSTEMS);
        Main.checkPositive(spec, "--threads", threads);
        Main.checkPositive(spec, "--seconds", seconds);
        Path folder = Files.createTempDirectory("oxbow-bench");
        try (Peer peer = Child.peer(system, threads)) {
            w.write(folder);
            Inputs inputs = Inputs.read(folder, w.data());
            try (Model m = peer.prepare(w, inputs)) {
                System.out.println("compared: " + Arrays.toString(m.check()));
                for (int i = 0; i < ROUNDS; i++)
                    System.out.printf("%s %.4g %s%n", w.title(), w.figure(Child.rate(m, seconds)), w.unit());
            }
        } finally {
            try (var files = Files.walk(folder)) {
                for (Path f : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(f);
            }
        }
        return 0;
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
