package dev.oxbow.cli;

import dev.oxbow.observe.dashboard.Dashboard;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of a training that may be looked at. */
final class WatchOptions {
    @Option(
            names = "--log",
            paramLabel = "FOLDER",
            description = "Write event files there, for oxbow dashboard, oxbow report and TensorBoard.")
    private Path log;

    @Option(
            names = "--dashboard",
            arity = "0..1",
            fallbackValue = "" + DashboardCommand.PORT,
            paramLabel = "PORT",
            description = "Show the run in a browser while it goes on; without --log in a new folder of runs.")
    private Integer dashboard;

    @Option(
            names = "--trace-every",
            paramLabel = "STEPS",
            description = "Trace one of so many steps of a run that is logged (default ${DEFAULT-VALUE}).")
    private int traceEvery = 500;

    boolean isShown() {
        return dashboard != null;
    }

    /** Why they can not be, or null. */
    String refusal() {
        if (traceEvery < 0) return "--trace-every must not be negative, got " + traceEvery;
        if (isShown() && (dashboard < 0 || dashboard > 65_535)) return "--dashboard must be a port, got " + dashboard;
        return null;
    }

    /** Gives a run that is shown a folder, where none was named. */
    void begin(String example) {
        if (isShown() && log == null) log = Watched.newFolder(example);
    }

    /** What is written down, or null. */
    Watched watched() {
        return log == null ? null : new Watched(log, traceEvery);
    }

    Dashboard show(PrintWriter out) {
        return watched().dashboard(out, dashboard);
    }
}
