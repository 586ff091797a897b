package dev.oxbow.benchmarks;

import java.nio.file.Path;
import java.util.List;
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
        subcommands = {CollectiveBench.class, CpuBench.class, DistributedBench.class, KernelBench.class, OneBench.class
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
        if (given.size() == 2 && given.get(0).equals("worker")) {
            DistributedRank.serve(Path.of(given.get(1)));
            System.exit(0);
        }
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "what is to be timed is missing");
    }
}
