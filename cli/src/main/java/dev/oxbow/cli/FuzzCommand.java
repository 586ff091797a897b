package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.testing.fuzz.FileFuzz;
import dev.oxbow.testing.fuzz.GraphFuzz;
import dev.oxbow.testing.fuzz.OpFuzz;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow fuzz KIND}: tries input that nobody expects; exits 1 when it found a defect. */
@Command(
        name = "fuzz",
        description = "Try ops, graphs or files with input that they do not expect.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Bad input must end in an error with a code; a crash, another exception, an error of the kind INTERNAL, the end of the"
                    + " heap and more than 20 s are defects. Trials run in processes of their own, those of ops with every block"
                    + " of memory beside a page that cannot be touched. Each kind of defect is printed once, with the seed and the"
                    + " number of a trial that shows it.",
            "",
            "Examples:",
            "  oxbow fuzz ops --minutes 30",
            "  oxbow fuzz ops --only 'Sparse|Ragged' --seed 7",
            "  oxbow fuzz ops --seed 7 --case 4711",
            "  oxbow fuzz graphs --graphs tf-graphs.zip --minutes 20"
        })
final class FuzzCommand implements Callable<Integer> {

    /** What is tried. */
    enum Kind {
        ops,
        graphs,
        files
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "KIND", description = "${COMPLETION-CANDIDATES}: npy, npz and checkpoint files.")
    private Kind kind;

    @Option(names = "--minutes", paramLabel = "N", description = "For how long (default 1).")
    private double minutes = 1;

    @Option(names = "--seed", paramLabel = "N", description = "Of all trials (default: another one each time).")
    private Long seed;

    @Option(names = "--only", paramLabel = "REGEX", description = "Ops or graphs whose name contains a match.")
    private String only = "";

    @Option(names = "--case", paramLabel = "N", description = "Run this trial alone, here, and tell all of it.")
    private Long single;

    @Option(names = "--graphs", paramLabel = "CASES.zip", description = "Recorded graphs to start from, too.")
    private Path graphs;

    @Override
    public Integer call() throws Exception {
        if (graphs != null) require(Files.isRegularFile(graphs), NOT_FOUND, "fuzz: there is no file %s", graphs);
        long start = seed != null ? seed : ThreadLocalRandom.current().nextInt(1 << 30);
        List<String> arguments =
                new ArrayList<>(List.of("--minutes", "" + minutes, "--seed", "" + start, "--only", only));
        if (single != null) arguments.addAll(List.of("--case", "" + single));
        if (graphs != null) arguments.addAll(List.of("--graphs", graphs.toString()));
        String[] all = arguments.toArray(String[]::new);
        PrintWriter to = spec.commandLine().getOut();
        try (PrintStream out = new PrintStream(new Lines(to), true, StandardCharsets.UTF_8)) {
            return switch (kind) {
                case ops -> OpFuzz.run(all, out);
                case graphs -> GraphFuzz.run(all, out);
                case files -> FileFuzz.run(all, out);
            };
        }
    }

    /** Passes whole lines on. */
    private static final class Lines extends ByteArrayOutputStream {
        private final PrintWriter to;

        Lines(PrintWriter to) {
            this.to = to;
        }

        @Override
        public synchronized void flush() {
            to.print(toString(StandardCharsets.UTF_8));
            to.flush();
            reset();
        }

        @Override
        public void close() {
            flush();
        }
    }
}
