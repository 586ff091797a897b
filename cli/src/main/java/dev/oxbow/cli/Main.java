package dev.oxbow.cli;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.testing.conformance.Engine;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code oxbow COMMAND}: finds the command, and turns errors into one line and an exit status. */
@Command(
        name = "oxbow",
        description = "Distributed deep learning for the JVM.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "The launcher itself knows four more:",
            "  bench   Time Oxbow beside its peers",
            "  test    Build and run all tests, or the long suites",
            "  format  Format the sources",
            "  jdk     Print the JDK that is used",
            "",
            "OXBOW_JAVA_OPTS holds more flags for the JVM, such as -Xmx4g; they win over those of the launcher.",
            "",
            "Exit status: 0 done, 1 the answer is no (a case failed), 2 wrong usage, 3 wrong input, 4 a resource ran"
                    + " out, 5 another process failed or a deadline passed, 6 a defect of Oxbow.",
            "",
            "Examples:",
            "  ./oxbow test",
            "  ./oxbow conformance cases.zip --only 'Conv2D|MatMul'"
        })
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Lifeline.hold();
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int status = run(out, err, arguments);
        out.flush();
        System.exit(status);
    }

    /** Runs one command line and gives its exit status. */
    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine line = line(out, err);
        if (arguments.length == 0) {
            line.usage(out);
            return CommandLine.ExitCode.OK;
        }
        try {
            return line.execute(arguments);
        } catch (Error e) {
            return explain(e, err);
        }
    }

    /** All commands. */
    static CommandLine line(PrintWriter out, PrintWriter err) {
        return new CommandLine(new Main())
                .addSubcommand(new ConformanceCommand(Engine::installed))
                .addSubcommand(new DashboardCommand())
                .addSubcommand(new DataCommand())
                .addSubcommand(new DoctorCommand())
                .addSubcommand(new EvaluateCommand())
                .addSubcommand(new ExplainCommand())
                .addSubcommand(new ExportCommand())
                .addSubcommand(new FuzzCommand())
                .addSubcommand(new CommandLine(new LaunchCommand()).setStopAtPositional(true))
                .addSubcommand(new OpsCommand())
                .addSubcommand(new PlanCommand())
                .addSubcommand(new PredictCommand())
                .addSubcommand(new ReportCommand())
                .addSubcommand(new CommandLine(new RunCommand()).setStopAtPositional(true))
                .addSubcommand(new ServerCommand())
                .addSubcommand(new StatusCommand())
                .addSubcommand(new TraceCommand())
                .addSubcommand(new TrainCommand())
                .addSubcommand(new CommandLine.HelpCommand())
                .setOut(out)
                .setErr(err)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((e, _) -> explain(e, err))
                .setExecutionExceptionHandler((e, _, _) -> explain(e, err));
    }

    private static int explain(ParameterException e, PrintWriter err) {
        err.println("oxbow: " + e.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
        err.println("see ./" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }

    private static int explain(Throwable e, PrintWriter err) {
        // a class that could not be initialised hides what went wrong in it
        Throwable cause = e instanceof ExceptionInInitializerError && e.getCause() != null ? e.getCause() : e;
        if (cause instanceof OxbowException known) {
            err.println("oxbow: " + known.getMessage());
            return switch (known.code().category()) {
                case USER -> 3;
                case RESOURCE -> 4;
                case PEER -> 5;
                case INTERNAL -> 6;
            };
        }
        err.println("oxbow: a defect of Oxbow: " + e);
        e.printStackTrace(err);
        return 6;
    }

    /** Oxbow's version and the Java that runs it. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getModule().getDescriptor() == null
                    ? "development"
                    : Main.class.getModule().getDescriptor().rawVersion().orElse("development");
            return new String[] {
                "oxbow " + version + ", Java " + Runtime.version(), "kernels: " + KernelLevel.describe()
            };
        }
    }
}
