package dev.oxbow.net.launch;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Processes of this machine that are started again when they end, or do not answer: servers of a job whose workers come and go.
 * They live no longer than this one.
 */
public final class KeptProcesses implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(50), LAST_OUTPUT = Duration.ofSeconds(2);
    /** How long one may take to answer for the first time. */
    private static final Duration COMING = Duration.ofSeconds(60);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    /** A process that has run for so long is forgiven what was before. */
    private static final Duration LASTED = Duration.ofSeconds(20);

    /** A look at all of them takes less than this, unless this process is held up. */
    private static final Duration STILL = Duration.ofSeconds(3);

    private final LaunchConfig config;
    private final List<String> command;
    private final LineSink sink;
    private final Supplier<Set<Integer>> answering;
    private final Duration silence;
    private final Consumer<String> tell;
    private final RankProcess[] all;
    private final long[] started;
    private final long[] heard;
    private final long[] notBefore;
    private final boolean[] came;
    private final int[] strikes;
    private final int most;
    private final AtExit exit;
    private volatile boolean stopping;
    private volatile String failure;

    /**
     * Starts them, and keeps on looking.
     *
     * @param config how many there are, and what each is told
     * @param answering asks all of them, and gives those that answer in time
     * @param silence how long one may not answer before it is killed
     * @param most after so many failures in a row one is given up
     */
    public KeptProcesses(
            LaunchConfig config,
            List<String> command,
            LineSink sink,
            Supplier<Set<Integer>> answering,
            Duration silence,
            int most,
            Consumer<String> tell) {
        this.config = config;
        this.command = command;
        this.sink = sink;
        this.answering = answering;
        this.silence = silence;
        this.most = most;
        this.tell = tell;
        int n = config.ranks();
        this.all = new RankProcess[n];
        this.started = new long[n];
        this.heard = new long[n];
        this.notBefore = new long[n];
        this.came = new boolean[n];
        this.strikes = new int[n];
        this.exit = new AtExit(this::stopAll, "stop servers");
        for (int k = 0; k < n; k++) start(k);
        Thread.ofPlatform().daemon().name("servers-look").start(this::look);
        Thread.ofPlatform().daemon().name("servers-ask").start(this::ask);
    }

    /** Why one of them is not started again; null while all are kept. */
    public String failure() {
        return failure;
    }

    /** The process ids, by number; 0 for one that is not there now. */
    public synchronized List<Long> pids() {
        return Arrays.stream(all).map(p -> p == null ? 0L : p.process().pid()).toList();
    }

    private synchronized void start(int k) {
        if (stopping) return;
        Map<String, String> environment = new HashMap<>(config.environment(k));
        environment.put(LocalJob.LAUNCHER, Long.toString(ProcessHandle.current().pid()));
        ProcessBuilder b = new ProcessBuilder(command);
        b.environment().putAll(environment);
        started[k] = System.nanoTime();
        heard[k] = started[k];
        came[k] = false;
        try {
            all[k] = new RankProcess(k, b.start(), sink);
        } catch (IOException e) {
            struck(k, "can not be started: " + e.getMessage());
        }
    }

    private void look() {
        for (long last = System.nanoTime(); !stopping; ) {
            long now = System.nanoTime();
            standsStill(Math.max(0, now - last - STILL.toNanos()));
            last = now;
            for (int k = 0; k < all.length && !stopping; k++) look(k);
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    /** Nobody was asked while this process was held up itself: that time does not count. */
    private synchronized void standsStill(long nanos) {
        for (int k = 0; k < all.length; k++) {
            heard[k] += nanos;
            started[k] += nanos;
        }
    }

    private synchronized void look(int k) {
        if (stopping) return;
        RankProcess p = all[k];
        long now = System.nanoTime();
        if (p == null) {
            if (failure == null && now - notBefore[k] >= 0) start(k);
            return;
        }
        if (!p.process().isAlive()) {
            all[k] = null;
            struck(k, Outcome.Failed.ended(p.process().exitValue()));
            return;
        }
        Duration most = came[k] ? silence : COMING;
        if (now - heard[k] > most.toNanos()) {
            heard[k] = now;
            tell.accept("server %d gave no answer for %s, so it is killed".formatted(k, most));
            p.stop(true);
        } else if (now - started[k] > LASTED.toNanos()) strikes[k] = 0;
    }

    private void struck(int k, String how) {
        strikes[k]++;
        String what = "server %d %s".formatted(k, how);
        if (strikes[k] >= most) failure = "%s; it has failed %d times in a row".formatted(what, strikes[k]);
        tell.accept(failure == null ? what + ", and is started again" : failure);
        notBefore[k] = System.nanoTime() + (FIRST_PAUSE.toNanos() << Math.min(strikes[k] - 1, 6));
    }

    private void ask() {
        while (!stopping) {
            Set<Integer> there;
            try {
                there = answering.get();
            } catch (OxbowException e) {
                there = Set.of();
            }
            synchronized (this) {
                for (int k : there) {
                    heard[k] = System.nanoTime();
                    came[k] = true;
                }
            }
            LockSupport.parkNanos(silence.toNanos() / 8);
        }
    }

    @Override
    public void close() {
        stopAll();
        exit.remove();
    }

    private void stopAll() {
        List<RankProcess> rest = new ArrayList<>();
        synchronized (this) {
            if (stopping) return;
            stopping = true;
            for (RankProcess p : all) if (p != null) rest.add(p);
        }
        RankProcess.stopAll(rest, config.grace(), LAST_OUTPUT);
    }
}
