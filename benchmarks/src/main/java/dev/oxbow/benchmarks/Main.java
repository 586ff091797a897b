package dev.oxbow.benchmarks;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench}: timings of Oxbow beside its peers. */
@Command(
        name = "bench",
        description = "Times Oxbow.",
        subcommands = {
            ClusterBench.class,
            CollectiveBench.class,
            CpuBench.class,
            DistributedBench.class,
            EventBench.class,
            GpuBench.class,
            KernelBench.class,
            LayerBench.class,
            OneBench.class
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> given = List.of(arguments);
        if (given.size() == 4 && given.get(0).equals("child")) {
            Child.serve(given.get(1), Integer.parseInt(given.get(2)), Path.of(given.get(3)));
            System.exit(0);
        }
        if (given.equals(List.of("rank"))) {
            CollectiveRank.serve();
            System.exit(0);
        }
        if (given.size() == 4 && given.get(0).equals("task")) {
            ClusterTask.serve(given.get(1), given.get(2), Integer.parseInt(given.get(3)));
            System.exit(0);
        }
        if (given.size() >= 2 && given.get(0).equals("worker")) {
            DistributedRank.serve(given.subList(1, given.size()));
            System.exit(0);
        }
        if (!given.isEmpty() && given.getFirst().equals("gpu")) System.exit(gpu(given.subList(1, given.size())));
        System.exit(run(new PrintWriter(System.err, true), arguments));
    }

    /** By itself: where the card is there may be none of the peers of other commands. */
    private static int gpu(List<String> arguments) {
        PrintWriter err = new PrintWriter(System.err, true);
        return new CommandLine(new GpuBench())
                .setErr(err)
                .setExecutionExceptionHandler((e, line, _) -> explain(e, line, err))
                .execute(arguments.toArray(String[]::new));
    }

    /** Runs one command line and gives its exit status. */
    static int run(PrintWriter err, String... arguments) {
        return new CommandLine(new Main())
                .setErr(err)
                .setExecutionExceptionHandler((e, line, _) -> explain(e, line, err))
                .execute(arguments);
    }

    /** What the machine or the input is to blame for is one line; a defect shows where it is. */
    private static int explain(Exception e, CommandLine line, PrintWriter err) {
        if (e instanceof IOException || e instanceof OxbowException || e instanceof RunnerException)
            err.println("bench " + line.getCommandName() + ": " + reason(e));
        else e.printStackTrace(err);
        return 1;
    }

    private static String reason(Exception e) {
        return switch (e) {
            case NoSuchFileException missing -> missing.getMessage() + " does not exist";
            default -> e.getMessage();
        };
    }

    /** Fails before anything is timed where a file could not be written afterwards. */
    static void checkWritable(CommandSpec spec, Path file) {
        if (file == null) return;
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(file))
            throw new ParameterException(spec.commandLine(), "--json: " + file + " can not be written");
    }

    private static String text(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    /** Fails when ranks know no such way to talk. */
    static void checkTransport(CommandSpec spec, String transport) {
        if (!List.of("tcp", "shm", "auto").contains(transport))
            throw new ParameterException(
                    spec.commandLine(), "no transport " + transport + "; there are tcp, shm, auto");
    }

    /** Fails when an option is not positive. */
    static void checkPositive(CommandSpec spec, String option, double value) {
        if (!(value > 0))
            throw new ParameterException(
                    spec.commandLine(), "%s must be positive, got %s".formatted(option, text(value)));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "what is to be timed is missing");
    }
}
