package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private final LaunchConfig config;
    private final List<RankProcess> ranks = new ArrayList<>();
    private final LinkedBlockingQueue<RankProcess> ended = new LinkedBlockingQueue<>();
    private final Thread hook = new Thread(this::stopAll, "stop ranks");
    private volatile boolean stopping;

    private LocalJob(LaunchConfig config) {
        this.config = config;
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
        LocalJob job = new LocalJob(config);
        Runtime.getRuntime().addShutdownHook(job.hook);
        try {
            for (int rank = 0; rank < config.ranks(); rank++)
                job.start(rank, commands.apply(rank), environments.apply(rank), sink);
            return job;
        } catch (RuntimeException e) {
            job.close();
            throw e;
        }
    }

    private void start(int rank, List<String> command, Map<String, String> environment, LineSink sink) {
        ProcessBuilder b = new ProcessBuilder(command);
        b.environment().putAll(environment);
        b.environment().put(LAUNCHER, Long.toString(ProcessHandle.current().pid()));
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

    /** Waits for the end of all ranks; ends the others as soon as one fails. */
    public Outcome await() throws InterruptedException {
        for (int left = config.ranks(); left > 0; left--) {
            RankProcess p = ended.take();
            int status = p.process().exitValue();
            if (stopping) return new Outcome.Stopped();
            if (status != 0) return fail(p);
        }
        close();
        return new Outcome.Done();
    }

    private Outcome fail(RankProcess first) throws InterruptedException {
        // ranks that lose a killed one fail within a moment of it, and may be noticed before it
        RankProcess culprit = first;
        for (RankProcess p : ended) if (!isKilled(culprit) && isKilled(p)) culprit = p;
        culprit.drain(LAST_OUTPUT);
        List<String> lines = culprit.lastLines();
        close();
        return new Outcome.Failed(
                culprit.rank(), culprit.process().pid(), culprit.process().exitValue(), lines);
    }

    private static boolean isKilled(RankProcess p) {
        return p.process().exitValue() > Outcome.Failed.SIGNALLED;
    }

    /** Asks ranks to end, kills those that do not, and passes on their last output. */
    @Override
    public void close() {
        stopAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // this process is ending, and the hook is there for that
        }
    }

    private void stopAll() {
        List<RankProcess> all;
        synchronized (ranks) {
            stopping = true;
            all = List.copyOf(ranks);
        }
        boolean interrupted = false;
        for (RankProcess p : all) p.process().destroy();
        long end = System.nanoTime() + config.grace().toNanos();
        for (RankProcess p : all) interrupted |= !waitFor(p.process(), end - System.nanoTime());
        for (RankProcess p : all) p.process().destroyForcibly();
        for (RankProcess p : all) interrupted |= !waitFor(p.process(), TimeUnit.SECONDS.toNanos(10));
        try {
            for (RankProcess p : all) p.drain(LAST_OUTPUT);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /** Whether the wait was not interrupted. */
    private static boolean waitFor(Process process, long nanos) {
        try {
            process.waitFor(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private List<RankProcess> all() {
        synchronized (ranks) {
            return List.copyOf(ranks);
        }
    }
}
