package dev.oxbow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.testing.conformance.Conformance;
import dev.oxbow.testing.conformance.Engine;
import dev.oxbow.testing.conformance.Report;
import dev.oxbow.testing.conformance.Result;
import dev.oxbow.wire.WholeFile;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow conformance FILE.zip}: compares with recorded answers of TensorFlow; exits 1 when a case fails whose ops exist. */
@Command(
        name = "conformance",
        description = "Run recorded TensorFlow graphs and sessions and compare the answers.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Prints one line per failure, the missing ops by the number of cases they block (and block alone), and a summary.",
            "",
            "Examples:",
            "  oxbow conformance tf-graphs.zip",
            "  oxbow conformance tf-programs.zip --only '^queue' --verbose",
            "  oxbow conformance tf-programs.zip --limit 100 --json results.json"
        })
final class ConformanceCommand implements Callable<Integer> {
    private final Function<String, Engine> engines;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE.zip", description = "The cases.")
    private Path file;

    @Option(names = "--verbose", description = "Print a line for every case.")
    private boolean verbose;

    @Option(names = "--only", paramLabel = "REGEX", description = "Run the cases whose name contains a match.")
    private Pattern only = Pattern.compile("");

    @Option(names = "--limit", paramLabel = "N", description = "Run the first N of them.")
    private int limit = Integer.MAX_VALUE;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results to a file, too.")
    private Path json;

    @Option(names = "--deadline", paramLabel = "SECONDS", description = "Fail a case that takes longer (default 20).")
    private double deadlineSeconds = 20;

    @Option(names = "--threads", paramLabel = "N", description = "Run so many cases at a time (default 2).")
    private int threads = 2;

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            description = "What runs the graphs (default: the first installed).")
    private String engine;

    ConformanceCommand(Function<String, Engine> engines) {
        this.engines = engines;
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        OxbowException.require(
                threads > 0 && limit >= 0 && deadlineSeconds > 0,
                ErrorCode.INVALID_ARGUMENT,
                "conformance: --threads and --deadline must be positive and --limit not negative, got %d, %s and %d",
                threads,
                deadlineSeconds,
                limit);
        Duration deadline = Duration.ofMillis((long) (1000 * deadlineSeconds));
        Conformance conformance = new Conformance(engines.apply(engine), deadline, threads);
        OxbowException.require(
                Files.isRegularFile(file), ErrorCode.NOT_FOUND, "conformance: there is no file %s", file);
        Report report = conformance.run(file, only, limit, result -> print(result, out));
        report.print(out);
        if (json != null) WholeFile.write(json, to -> to.write(report.json().getBytes(UTF_8)));
        return report.failed() == 0 ? 0 : 1;
    }

    private void print(Result result, PrintWriter out) {
        switch (result) {
            case Result.Failed(String name, Duration time, String reason) ->
                out.println("FAIL " + name + ": " + reason + (verbose ? " (" + time.toMillis() + " ms)" : ""));
            case Result.Passed(String name, Duration time) -> {
                if (verbose) out.println("ok   " + name + " (" + time.toMillis() + " ms)");
            }
            case Result.Blocked(String name, var missing) -> {
                if (verbose)
                    out.println("need " + name + ": "
                            + String.join(", ", missing.stream().sorted().toList()));
            }
        }
    }
}
