package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.launch.HostFile;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LocalJob;
import dev.oxbow.net.launch.Outcome;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code oxbow launch -n N -- ARGS}: runs the ranks of a job as processes; exits with the status of the first that fails. */
@Command(
        name = "launch",
        description = "Start the ranks of a job as processes on this machine.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Every rank runs the same command and is told by its environment who it is: OXBOW_RANK, OXBOW_SIZE,"
                    + " OXBOW_LOCAL_RANK, OXBOW_LOCAL_SIZE, OXBOW_RENDEZVOUS, OXBOW_JOB, OXBOW_TOKEN, OXBOW_TRANSPORT,"
                    + " OXBOW_THREADS and OXBOW_TIMEOUT. What it prints comes out line by line behind its rank; its"
                    + " standard input is taken.",
            "",
            "A rank that fails, is lost to the others, or ends before all have joined ends the job: the others get SIGTERM"
                    + " and, after the grace time, SIGKILL. It is named with its last lines, and its exit status is that"
                    + " of launch. SIGINT, SIGTERM and SIGHUP end all ranks, too, and none is left behind even when"
                    + " launch itself is killed.",
            "",
            "With --elastic ranks are workers that come and go: one that fails or does not answer is started again, the"
                    + " others go on without it meanwhile, and all meet at this process, so that any of them may be lost."
                    + " Programs join by Elastic.join instead of Ranks.join. It ends with 5 where it gives up.",
            "",
            "Hosts of --hosts need the same files in the same folders, and a login without questions; other than on"
                    + " loopback they want certificates (OXBOW_TLS_*), or --trusted-network.",
            "",
            "Examples:",
            "  oxbow launch -n 4 -- train --epochs 3",
            "  oxbow launch -n 2 --transport tcp -- train",
            "  oxbow launch --hosts hosts.txt --trusted-network -- train",
            "  oxbow launch --elastic 2:8 --events log -- train mnist",
            "  oxbow launch -n 2 --class-path build/classes --java com.example.Train --epochs 3"
        })
final class LaunchCommand implements Callable<Integer> {
    private static final int PEER_FAILED = 5;

    /** How ranks talk. */
    enum Transport {
        auto,
        tcp,
        shm
    }

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-n", "--ranks"},
            paramLabel = "N",
            description = "How many ranks (default: all places of --hosts).")
    private Integer ranks;

    @Mixin
    private ElasticOptions elastic;

    @Option(
            names = "--transport",
            paramLabel = "KIND",
            description = "How ranks talk: tcp, shm (shared memory) or auto (default): shared memory where it is"
                    + " large enough, else TCP.")
    private Transport transport = Transport.auto;

    @Option(
            names = "--rendezvous",
            paramLabel = "HOST:PORT",
            description = "Where rank 0 serves the others at the start (default: a free port of loopback).")
    private String rendezvous;

    @Option(
            names = "--trusted-network",
            description = "Let hosts talk in the clear: whoever reaches their ports is trusted.")
    private boolean trusted;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long ranks wait for each other at the start (default 60s).")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long ranks may take to end before they are killed (default 5s).")
    private Duration grace = Duration.ofSeconds(5);

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads of each rank (default: OXBOW_THREADS, or the cores shared out).")
    private int threads;

    @Option(names = "--java", description = "ARGS name a main class and its arguments, not a command of ours.")
    private boolean java;

    @Mixin
    private ClassPathOption classes;

    @Parameters(arity = "1..*", paramLabel = "ARGS", description = "What each rank runs.")
    private List<String> arguments;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        CommandLine line = spec.commandLine();
        elastic.validate(line, false);
        if (threads < 0) throw new ParameterException(line, "--threads must be at least 1, got " + threads);
        if (!timeout.isPositive()) throw new ParameterException(line, "--timeout must be positive");
        HostFile hosts = elastic.hosts == null ? null : HostFile.read(elastic.hosts);
        int count = ranks(line, hosts);
        LaunchConfig config = LaunchConfig.local(count)
                .withGrace(grace)
                .with("OXBOW_TRANSPORT", transport.name().toLowerCase(Locale.ROOT))
                .with("OXBOW_TIMEOUT", timeout.toMillis() + "ms");
        if (threads > 0) config = config.with("OXBOW_THREADS", Integer.toString(threads));
        if (trusted) config = config.with("OXBOW_TRUSTED_NETWORK", "true");
        if (rendezvous != null)
            config = config.withRendezvous(
                    hosts == null ? free(HostPort.parse(rendezvous)) : HostPort.parse(rendezvous));
        if (!java) check(arguments);
        List<String> command = java ? JavaCommand.main(classes.path(), arguments) : JavaCommand.ours(arguments);
        RankLines lines = new RankLines(line.getOut(), err, count, RankLines.wantsColours());
        if (elastic.isElastic()) return elastic.run(line, config, command, lines, err);
        try (LocalJob job =
                hosts == null ? LocalJob.start(config, command, lines) : start(config, command, hosts, lines)) {
            return switch (job.await()) {
                case Outcome.Done() -> 0;
                case Outcome.Stopped _, Outcome.GaveUp _ -> 1;
                case Outcome.Failed failed -> {
                    report(failed, count, err);
                    yield exitStatus(failed);
                }
            };
        }
    }

    private int ranks(CommandLine line, HostFile hosts) {
        if (elastic.isElastic() && ranks != null)
            throw new ParameterException(line, "--elastic says how many ranks there are: leave -n out");
        if (elastic.isElastic()) return elastic.config(line).max();
        int places = hosts == null ? 0 : hosts.places().size();
        if (ranks == null && hosts == null) throw new ParameterException(line, "-n says how many ranks: -n 4, say");
        int count = ranks == null ? places : ranks;
        if (count < 1) throw new ParameterException(line, "-n must be at least 1, got " + count);
        if (hosts != null && count > places)
            throw new ParameterException(
                    line, "-n is %d, but %s has %d places".formatted(count, elastic.hosts, places));
        return count;
    }

    /** Ranks on the hosts of a file, in its order; all meet at the first one. */
    private LocalJob start(LaunchConfig given, List<String> command, HostFile hosts, RankLines lines) {
        List<HostFile.Host> places = hosts.places().subList(0, given.ranks());
        boolean here = places.stream().allMatch(HostFile.Host::isLocal);
        String first = places.getFirst().name();
        LaunchConfig config = here || rendezvous != null
                ? given
                : given.withRendezvous(new HostPort(
                        first.substring(first.indexOf('@') + 1),
                        given.rendezvous().port()));
        IntFunction<Map<String, String>> environments = rank -> {
            List<HostFile.Host> before = places.subList(0, rank);
            HostFile.Host own = places.get(rank);
            int localRank = Collections.frequency(before, own), localSize = Collections.frequency(places, own);
            return config.environment(rank, localRank, localSize);
        };
        return LocalJob.start(
                config,
                rank -> places.get(rank).isLocal()
                        ? command
                        : RemoteCommand.over(elastic.ssh, places.get(rank).name(), environments.apply(rank), command),
                environments,
                lines);
    }

    /** Fails where rank 0, which runs here, could not serve at an address. */
    private static HostPort free(HostPort at) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(at.host(), at.port()));
            return at;
        } catch (IOException e) {
            throw new OxbowException(
                    UNAVAILABLE, "launch: --rendezvous %s can not be served here: %s".formatted(at, e.getMessage()), e);
        }
    }

    /** Fails once for what would be wrong on every rank. */
    private void check(List<String> arguments) {
        CommandLine line =
                Main.line(spec.commandLine().getOut(), spec.commandLine().getErr());
        ParseResult parsed = line.parseArgs(arguments.toArray(String[]::new));
        while (parsed.hasSubcommand()) parsed = parsed.subcommand();
        if (parsed.commandSpec().userObject() instanceof TrainCommand train && !parsed.isUsageHelpRequested())
            train.validate();
    }

    /** The status of the rank that failed; one that ended well, but too early, or not at all, failed its peers. */
    static int exitStatus(Outcome.Failed failed) {
        return failed.status() == 0 ? PEER_FAILED : failed.status();
    }

    private static void report(Outcome.Failed failed, int ranks, PrintWriter err) {
        err.printf(
                "oxbow: launch: %s%s%s%n",
                failed.describe(),
                ranks > 1 ? ", so the others were stopped" : "",
                failed.lastLines().isEmpty() ? "; it printed nothing" : "; its last lines:");
        for (String line : failed.lastLines()) err.println("  " + line);
    }
}
