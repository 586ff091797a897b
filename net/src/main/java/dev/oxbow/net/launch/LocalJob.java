package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.shm.Network;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * The ranks of a job as processes on this machine, which live no longer than this one: they are stopped when one of them
 * fails, when this job is closed, when this process ends by a signal, and since its ranks watch their standard input, also when it is killed.
 */
public final class LocalJob implements AutoCloseable {
    /** The variable that names the process which started a rank and holds the other end of its standard input. */
    public static final String LAUNCHER = "OXBOW_LAUNCHER";

    private static final Duration LAST_OUTPUT = Duration.ofSeconds(2);
    /** How often ranks are looked at that have ended before others have joined. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final LaunchConfig config;
    private final List<RankProcess> ranks = new ArrayList<>();
    private final LinkedBlockingQueue<RankProcess> ended = new LinkedBlockingQueue<>();
    private final AtExit exit;
    private final Notices notices;
    private volatile boolean stopping;

    private LocalJob(LaunchConfig config, Notices notices) {
        this.config = config;
        this.notices = notices;
        this.exit = new AtExit(this::stopAll, "stop ranks");
    }

    /** Starts the same command once for each rank. */
    public static LocalJob start(LaunchConfig config, List<String> command, LineSink sink) {
        return start(config, _ -> command, config::environment, sink);
    }

    /** Starts a command of its own for each rank, with an environment of its own. */
    public static LocalJob start(
            LaunchConfig config,
            IntFunction<List<String>> commands,
            IntFunction<Map<String, String>> environments,
            LineSink sink) {
        LocalJob job = new LocalJob(config, openNotices());
        try {
            for (int rank = 0; rank < config.ranks(); rank++)
                job.start(rank, commands.apply(rank), environments.apply(rank), sink);
            return job;
        } catch (RuntimeException e) {
            job.close();
            throw e;
        }
    }

    private static Notices openNotices() {
        try {
            return Notices.open();
        } catch (IOException e) {
            throw new OxbowException(UNAVAILABLE, "launch: no folder for notices of ranks can be made: " + e, e);
        }
    }

    private void start(int rank, List<String> command, Map<String, String> environment, LineSink sink) {
        ProcessBuilder b = new ProcessBuilder(command);
        b.environment().putAll(environment);
        b.environment().put(LAUNCHER, Long.toString(ProcessHandle.current().pid()));
        b.environment().put(Notices.VARIABLE, notices.folder().toString());
        try {
            synchronized (ranks) {
                if (stopping) return;
                RankProcess p = new RankProcess(rank, b.start(), sink);
                ranks.add(p);
                p.process().onExit().thenRun(() -> ended.add(p));
            }
        } catch (IOException e) {
            throw new OxbowException(
                    UNAVAILABLE, "launch: rank %d can not be started: %s".formatted(rank, e.getMessage()), e);
        }
    }

    /** The process ids by rank. */
    public List<Long> pids() {
        return all().stream().map(p -> p.process().pid()).toList();
    }

    /** Waits for the end of all ranks; ends the others as soon as one fails, or has ended while others wait to join. */
    public Outcome await() throws InterruptedException {
        List<RankProcess> done = new ArrayList<>();
        while (done.size() < config.ranks()) {
            RankProcess p = ended.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            if (stopping) return new Outcome.Stopped();
            if (p != null && p.process().exitValue() != 0) return fail(culprit(p));
            if (p != null) done.add(p);
            Optional<RankProcess> absent =
                    done.stream().filter(d -> !notices.hasJoined(d.rank())).findFirst();
            if (absent.isPresent() && all().stream().anyMatch(this::waitsToJoin))
                return fail(absent.get(), Outcome.Failed.ended(0) + " and had not joined, while others wait for it");
        }
        close();
        return new Outcome.Done();
    }

    private boolean waitsToJoin(RankProcess p) {
        return p.process().isAlive() && notices.isJoining(p.rank()) && !notices.hasJoined(p.rank());
    }

    /** Whom the ranks hold to be lost; if they do not say, one that was killed, or the first that ended. */
    private RankProcess culprit(RankProcess first) throws InterruptedException {
        OptionalInt blamed = notices.blamed();
        if (blamed.isPresent()) {
            for (RankProcess p : all()) {
                if (p.rank() != blamed.getAsInt()) continue;
                p.process().waitFor(LAST_OUTPUT.toMillis(), TimeUnit.MILLISECONDS);
                return p;
            }
        }
        // ranks that lose a killed one fail within a moment of it, and may be noticed before it
        RankProcess culprit = first;
        for (RankProcess p : ended) if (!isKilled(culprit) && isKilled(p)) culprit = p;
        return culprit;
    }

    private Outcome fail(RankProcess culprit) throws InterruptedException {
        if (culprit.process().isAlive()) return fail(culprit, "gives no sign of life");
        int status = culprit.process().exitValue();
        return fail(culprit, Outcome.Failed.ended(status) + (status == 0 ? " while others still needed it" : ""));
    }

    private Outcome fail(RankProcess culprit, String how) throws InterruptedException {
        boolean alive = culprit.process().isAlive();
        if (!alive) culprit.drain(LAST_OUTPUT);
        List<String> lines = culprit.lastLines();
        int status = alive ? 0 : culprit.process().exitValue();
        close();
        return new Outcome.Failed(culprit.rank(), culprit.process().pid(), status, how, lines);
    }

    private static boolean isKilled(RankProcess p) {
        return p.process().exitValue() > Outcome.Failed.SIGNALLED;
    }

    /** Asks ranks to end, kills those that do not, passes on their last output, and removes what they left. */
    @Override
    public void close() {
        stopAll();
        exit.remove();
    }

    private void stopAll() {
        List<RankProcess> all;
        synchronized (ranks) {
            stopping = true;
            all = List.copyOf(ranks);
        }
        RankProcess.stopAll(all, config.grace(), LAST_OUTPUT);
        notices.clear();
        Network.clear(config.job(), pids(), ShmConfig.DEFAULT);
    }

    private List<RankProcess> all() {
        synchronized (ranks) {
            return List.copyOf(ranks);
        }
    }
}
