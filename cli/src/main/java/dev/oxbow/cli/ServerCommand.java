package dev.oxbow.cli;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.link.LinkOptions;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.runtime.EngineOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code oxbow server --job JOB --task N --cluster FILE}: serves one task of a cluster until a signal ends it; exits 143 by
 * SIGTERM and 130 by Ctrl-C, after the steps that run have ended.
 */
@Command(
        name = "server",
        description = "Serve one task of a cluster to TensorFlow's clients and servers, and to ours.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "The cluster is a JSON file such as {\"ps\": [\"127.0.0.1:2222\"], \"worker\": [\"127.0.0.1:2223\"]}."
                    + " Without --cluster, the variable TF_CONFIG says both the cluster and which task this is.",
            "",
            "It listens on loopback. To be reached from other machines (--bind) it wants the certificates of the"
                    + " cluster (--tls-certificate, --tls-key, --tls-authorities) and its token (OXBOW_TOKEN or"
                    + " --token-file). TensorFlow's clients can show neither: --trusted-network lets everybody in who can"
                    + " reach it.",
            "",
            "SIGTERM, or Ctrl-C, lets steps that run come to their end, for at most the grace time; new sessions and"
                    + " steps are refused with UNAVAILABLE. Then it exits with 143, by Ctrl-C with 130; another signal"
                    + " than these two ends it at once.",
            "",
            "Examples:",
            "  oxbow server --job worker --task 0 --cluster cluster.json",
            "  oxbow server --job local --task 0 --address 127.0.0.1:2222",
            "  TF_CONFIG='{\"cluster\": {...}, \"task\": {\"type\": \"ps\", \"index\": 0}}' oxbow server"
        })
final class ServerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--cluster", paramLabel = "FILE", description = "Who the tasks are, in JSON.")
    private Path cluster;

    @Option(names = "--job", paramLabel = "JOB", description = "The job of this task.")
    private String job;

    @Option(
            names = "--task",
            paramLabel = "N",
            description = "The number of this task (default: that of the rank, under oxbow launch).")
    private Integer task;

    @Option(
            names = "--address",
            paramLabel = "HOST:PORT",
            description = "Instead of --cluster: where the only task of a cluster listens.")
    private String address;

    @Option(names = "--bind", paramLabel = "HOST", description = "Where to listen (default: loopback).")
    private String bind;

    @Option(names = "--trusted-network", description = "Let everybody in who can reach the server.")
    private boolean trusted;

    @Mixin
    private SecurityOptions security;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "How many threads compute (default: one for each core).")
    private Integer threads;

    @Option(names = "--cpu-devices", paramLabel = "N", description = "How many CPU devices there are (default 1).")
    private int cpuDevices = 1;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long a session lives whose client has gone (default 60s).")
    private Duration lease = Duration.ofSeconds(60);

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long steps may run on after SIGTERM (default 10s).")
    private Duration grace = Duration.ofSeconds(10);

    @Option(
            names = "--lost-after",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long another task may give no sign of life (default 5s).")
    private Duration lostAfter = Duration.ofSeconds(5);

    @Option(names = "--no-links", description = "Take values of other tasks by calls only.")
    private boolean noLinks;

    @Option(
            names = "--link-port",
            paramLabel = "PORT",
            description = "Where other tasks of ours come for values (default: any port).")
    private int linkPort;

    @Option(
            names = "--trace-every",
            paramLabel = "N",
            description = "Trace one of N steps of each kind whose master this task is, into files of --trace-folder.")
    private int traceEvery;

    @Option(names = "--trace-folder", paramLabel = "FOLDER", description = "Where traces go (default: traces).")
    private Path traceFolder = Path.of("traces");

    @Option(
            names = "--trace-files",
            paramLabel = "N",
            description = "How many traces the folder keeps; then the oldest goes (default: 100).")
    private int traceFiles = 100;

    @Option(
            names = "--cost-folder",
            paramLabel = "FOLDER",
            description = "Keep what steps of sessions with measured steps cost for the next life of this task.")
    private Path costFolder;

    @Override
    public Integer call() throws InterruptedException {
        ClusterSpec.Place place = place(System.getenv());
        Server server = new Server(place.cluster(), place.task(), options(System.getenv()));
        PrintWriter out = spec.commandLine().getOut();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(server, out), "drain"));
        out.printf("serving %s at %s%n", server.task(), server.target());
        out.flush();
        new CountDownLatch(1).await(); // until a signal ends the process, whose status it decides
        return CommandLine.ExitCode.OK;
    }

    private void drain(Server server, PrintWriter out) {
        out.printf("ending %s: no new sessions and steps%n", server.task());
        out.flush();
        out.println(
                server.drain(grace) ? "all steps have ended" : "steps were cut off after " + grace.toMillis() + " ms");
        out.flush();
    }

    private ClusterSpec.Place place(Map<String, String> environment) {
        String config = environment.get("TF_CONFIG"), rank = environment.get("OXBOW_RANK");
        if (task == null && cluster != null && rank != null) task = Integer.valueOf(rank);
        if (address != null && cluster == null) {
            String name = job == null ? "local" : job;
            return new ClusterSpec.Place(ClusterSpec.of(name, List.of(address)), new TaskName(name, 0));
        }
        if (cluster == null && config != null) return ClusterSpec.tfConfig(config);
        if (cluster == null || job == null || task == null)
            throw new ParameterException(
                    spec.commandLine(), "wants --cluster, --job and --task, or --address, or the variable TF_CONFIG");
        ClusterSpec all = ClusterSpec.json(security.read(spec, cluster));
        TaskName name = new TaskName(job, task);
        all.address(name);
        return new ClusterSpec.Place(all, name);
    }

    private ServerOptions options(Map<String, String> environment) {
        EngineOptions engine = EngineOptions.defaults().withCpuDevices(cpuDevices);
        if (threads != null) engine = engine.withThreads(threads);
        ServerOptions o = ServerOptions.defaults()
                .withEngine(engine)
                .withBind(bind)
                .withTrustedNetwork(trusted)
                .withLease(lease)
                .withLinks(LinkOptions.defaults().withOn(!noLinks).withPort(linkPort))
                .withLostAfter(lostAfter)
                .withTraceFiles(traceFiles);
        if (traceEvery != 0) o = o.withTraces(traceEvery, traceFolder);
        if (costFolder != null) o = o.withCostFolder(costFolder);
        Security shown = security.of(spec, environment);
        if (!shown.token().isEmpty()) o = o.withToken(shown.token());
        return shown.tls() == null ? o : o.withTls(shown.tls());
    }
}
