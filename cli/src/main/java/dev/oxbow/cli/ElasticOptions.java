package dev.oxbow.cli;

import dev.oxbow.collective.Elastic;
import dev.oxbow.collective.JobConfig;
import dev.oxbow.net.launch.ElasticConfig;
import dev.oxbow.net.launch.ElasticJob;
import dev.oxbow.net.launch.HostFile;
import dev.oxbow.net.launch.HostSlots;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LineSink;
import dev.oxbow.net.launch.Outcome;
import dev.oxbow.net.launch.Worker;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options of commands that start processes which may come and go. */
final class ElasticOptions {
    /** The variable that names the folder where workers write down what they train on. */
    static final String EVENTS = "OXBOW_ELASTIC_EVENTS";

    private static final Pattern SIZES = Pattern.compile("([0-9]{1,4}):([0-9]{1,4})");
    private static final int GIVEN_UP = 5;

    @Option(
            names = "--elastic",
            paramLabel = "MIN:MAX",
            description = "Workers may come and go: the job goes on while MIN are left, and takes in up to MAX.")
    String sizes;

    @Option(
            names = "--hosts",
            paramLabel = "FILE",
            description = "Where workers run: HOST slots=N, a line each; over ssh, but for this host. It is read again"
                    + " while an elastic job runs, which follows it.")
    Path hosts;

    @Option(
            names = "--ssh",
            paramLabel = "COMMAND",
            description = "How other hosts are reached (default ${DEFAULT-VALUE}).")
    String ssh = "ssh -o BatchMode=yes";

    @Option(
            names = "--lost-after",
            paramLabel = "TIME",
            converter = DurationText.class,
            description =
                    "A worker of an elastic job that does not answer for so long is killed (default 15s). Of other jobs by"
                            + " parameter servers, how long a step waits for other workers (default 5m).")
    Duration lostAfter;

    @Option(
            names = "--resets",
            paramLabel = "N",
            description = "How often an elastic job may lose workers before it gives up (default 100).")
    Integer resets;

    @Option(
            names = "--events",
            paramLabel = "FOLDER",
            description = "Where workers of an elastic job write down which batches they trained on.")
    Path events;

    boolean isElastic() {
        return sizes != null;
    }

    /** Fails where options do not fit each other; {@code served} says whether workers wait for each other at parameter servers. */
    void validate(CommandLine line, boolean served) {
        if (!isElastic() && (lostAfter != null && !served || resets != null || events != null))
            throw new ParameterException(line, "--lost-after, --resets and --events are for --elastic MIN:MAX");
        if (lostAfter != null && !lostAfter.isPositive())
            throw new ParameterException(line, "--lost-after must be positive");
        if (hosts != null && !Files.isReadable(hosts))
            throw new ParameterException(line, "--hosts: there is no file " + hosts);
        if (isElastic()) config(line);
    }

    /** What of a training can not be elastic, in words; null for nothing. */
    String refusal(Integer workers, PlanText plan, boolean shown) {
        if (!isElastic()) return hosts == null ? null : "--hosts is for --elastic MIN:MAX; or see oxbow launch --hosts";
        if (workers != null && hosts != null)
            return "--hosts says how many workers an elastic job begins with: leave --workers out";
        if (plan.is("replicas") || plan.helpers() > 0 || plan.isAcross())
            return "--elastic is for --plan ring, ps, ps-async and ps-stale, not for " + plan;
        return shown ? "--dashboard does not know workers that come and go: take --log, and oxbow dashboard" : null;
    }

    ElasticConfig config(CommandLine line) {
        Matcher m = SIZES.matcher(sizes);
        if (!m.matches()) throw new ParameterException(line, "--elastic wants MIN:MAX, such as 2:8, got " + sizes);
        ElasticConfig c = ElasticConfig.of(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
        if (lostAfter != null) c = c.withSettle(lostAfter).withPause(lostAfter.dividedBy(3));
        return resets == null ? c : c.withResets(resets);
    }

    /** Starts workers and waits for the end of the job; the exit status. */
    int run(CommandLine line, LaunchConfig launch, List<String> command, LineSink sink, PrintWriter err)
            throws InterruptedException {
        return run(line, launch, new Start(true, null, () -> null), command, sink, err);
    }

    /**
     * How workers begin.
     *
     * @param together whether they take steps together
     * @param count how many of this machine; null for as many as there can be
     * @param failure why the job can not go on for other reasons than its workers; null while it can
     */
    record Start(boolean together, Integer count, Supplier<String> failure) {}

    int run(CommandLine line, LaunchConfig launch, Start start, List<String> command, LineSink sink, PrintWriter err)
            throws InterruptedException {
        ElasticConfig elastic = config(line);
        int count = start.count == null ? elastic.max() : start.count;
        if (count < elastic.min() || count > elastic.max())
            throw new ParameterException(
                    line, "--workers is %d, which is not within --elastic %s".formatted(count, sizes));
        LaunchConfig told = launch.with("OXBOW_TIMEOUT", elastic.timeout().toMillis() + "ms");
        if (events != null) told = told.with(EVENTS, events.toAbsolutePath().toString());
        Host host = new Host(command, ssh, err, start.failure);
        try (ElasticJob job =
                new ElasticJob(told, elastic, start.together, slots(elastic.max(), count, host), host, sink)) {
            return switch (job.await()) {
                case Outcome.Done() -> 0;
                case Outcome.GaveUp(String why) -> {
                    host.tell("the job gives up: " + why);
                    yield GIVEN_UP;
                }
                default -> 1;
            };
        }
    }

    /** How long a step by parameter servers may take; null for what is usual. */
    Duration patience() {
        // where a lost one may be waited for, every wait ends
        return Elastic.isHere() ? JobConfig.from(System.getenv()).timeout() : isElastic() ? null : lostAfter;
    }

    /** How long a process of the job may not answer. */
    Duration silence(CommandLine line) {
        return isElastic() ? config(line).settle() : null;
    }

    private Supplier<Map<Integer, String>> slots(int max, int count, Host host) {
        if (hosts != null) return new HostSlots(hosts, max, host::tell);
        Map<Integer, String> local = new HashMap<>();
        for (int s = 0; s < count; s++) local.put(s, "localhost");
        return () -> local;
    }

    /** Starts the same command everywhere. */
    private record Host(List<String> command, String ssh, PrintWriter err, Supplier<String> failing)
            implements ElasticJob.Host {

        @Override
        public List<String> command(Worker worker, Map<String, String> environment) {
            return isLocal(worker) ? command : RemoteCommand.over(ssh, worker.host(), environment, command);
        }

        @Override
        public boolean isLocal(Worker worker) {
            return new HostFile.Host(worker.host(), 1).isLocal();
        }

        @Override
        public String failure() {
            return failing.get();
        }

        @Override
        public void tell(String event) {
            err.println("oxbow: " + event);
            err.flush();
        }
    }
}
