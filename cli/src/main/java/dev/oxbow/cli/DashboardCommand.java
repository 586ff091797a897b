package dev.oxbow.cli;

import dev.oxbow.observe.dashboard.Dashboard;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow dashboard [RUNS...]}: serves a page that shows runs until it is stopped; exits with 3 where it can not listen. */
@Command(
        name = "dashboard",
        description = "Show runs in a browser, while they go on and later.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "A run is a folder with event files, as oxbow train --log and TensorFlow write them; folders are looked through for"
                    + " runs, and for new ones all the time. Whoever opens the first address may look. The second one has a"
                    + " token, with which a run can be asked to stop or to trace a step. /metrics is for Prometheus, and"
                    + " docs/dashboard.md says what /api answers.",
            "",
            "Examples:",
            "  oxbow dashboard",
            "  oxbow dashboard runs/first runs/second --port 8080",
            "  oxbow dashboard runs --host 0.0.0.0 --trusted-network --token-file token.txt"
        })
final class DashboardCommand implements Callable<Integer> {
    static final int PORT = 6060;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "RUNS", description = "Folders with runs (default: runs).")
    private List<Path> roots = new ArrayList<>();

    @Option(names = "--port", paramLabel = "N", description = "Where to listen (default ${DEFAULT-VALUE}; 0: any).")
    private int port = PORT;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "An address of this machine (default ${DEFAULT-VALUE}, which others can not reach).")
    private String host = "127.0.0.1";

    @Option(
            names = "--trusted-network",
            description = "Allow an address that others can reach; what is sent is not encrypted.")
    private boolean trusted;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Take the token from a file (default: a new one).")
    private Path tokenFile;

    @Override
    public Integer call() throws Exception {
        if (roots.isEmpty()) roots.add(Path.of("runs"));
        for (Path r : roots) if (Files.exists(r) && !Files.isDirectory(r)) throw wrong(r + " is no folder");
        if (port < 0 || port > 65_535) throw wrong("--port must be between 0 and 65535, got " + port);
        if (tokenFile != null && !Files.isReadable(tokenFile))
            throw wrong("--token-file: there is no file " + tokenFile);
        String token = tokenFile == null
                ? Dashboard.newToken()
                : Files.readString(tokenFile).strip();
        try (Dashboard d = Dashboard.start(new Dashboard.Config(roots, host, port, token, trusted))) {
            var out = spec.commandLine().getOut();
            out.println("runs in "
                    + String.join(", ", roots.stream().map(Path::toString).toList()));
            out.println("to look:   " + d.url());
            out.println("to change: " + d.urlWithToken());
            out.flush();
            new CountDownLatch(1).await(); // until the process is stopped
        }
        return 0;
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
