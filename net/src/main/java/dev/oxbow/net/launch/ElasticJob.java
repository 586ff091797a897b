package dev.oxbow.net.launch;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.Token;
import dev.oxbow.net.shm.Network;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.net.tcp.TcpStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The workers of a job that may come and go while it runs, as processes of this machine or behind ssh. This process serves the place
 * where they meet, so any of them may be lost. They live no longer than this job.
 */
public final class ElasticJob implements AutoCloseable {
    /** The variables that tell a worker who it is: {@code slot:life:host}, and how many there can be. */
    public static final String WORKER = "OXBOW_ELASTIC_WORKER", SIZE = "OXBOW_ELASTIC_SIZE";

    private static final Duration LOOK = Duration.ofMillis(20), LAST_OUTPUT = Duration.ofSeconds(2);

    /** A look at the workers takes less than this, unless this process is held up. */
    private static final Duration STILL = Duration.ofSeconds(3);

    /** How workers are started, and what is told of them. */
    public interface Host {
        /** The command of a worker. */
        List<String> command(Worker worker, Map<String, String> environment);

        /** Whether the command is given its variables by the environment of its process, rather than by its words. */
        boolean isLocal(Worker worker);

        /** Something has happened that whoever watches the job wants to know. */
        void tell(String event);

        /** Why the job can not go on for other reasons than its workers; null while it can. */
        default String failure() {
            return null;
        }
    }

    private final LaunchConfig config;
    private final Host host;
    private final LineSink sink;
    private final TcpStore store;
    private final Generations generations;
    private final Dealer dealer = new Dealer();
    private final Map<Integer, Integer> gone = new TreeMap<>();
    private String waitsFor = "";
    private int broken;
    private final Supplier<Map<Integer, String>> slots;
    private final Map<Worker, RankProcess> running = new HashMap<>();
    private final List<Long> pids = new ArrayList<>();
    private final LinkedBlockingQueue<Worker> ended = new LinkedBlockingQueue<>();
    private final AtExit exit;
    private final Map<Worker, Long> signs = new HashMap<>();
    private long last = System.nanoTime();
    private long now = last;
    private volatile boolean stopping;

    /**
     * @param config its name, its secret, where it is met, and what workers are told
     * @param together whether workers take each step together; others are dealt batches, each by itself
     * @param slots the host of each place for a worker, asked again and again
     */
    public ElasticJob(
            LaunchConfig config,
            ElasticConfig elastic,
            boolean together,
            Supplier<Map<Integer, String>> slots,
            Host host,
            LineSink sink) {
        this.config = config;
        this.host = host;
        this.slots = slots;
        this.sink = sink;
        this.generations = new Generations(elastic, together, now);
        TcpConfig tcp = TcpConfig.LOOPBACK
                .withJob(config.job())
                .withToken(Token.of(config.token()))
                .withTrustedNetwork("true".equals(config.variables().get("OXBOW_TRUSTED_NETWORK")));
        this.store = TcpStore.answering(
                config.rendezvous(),
                elastic.max() + 1,
                tcp,
                (who, question) -> dealer.answer(Worker.parse(who), question));
        this.exit = new AtExit(this::stopAll, "stop workers");
    }

    /** Starts workers and lets them meet until all have ended well, or the job can not go on. */
    public Outcome await() throws InterruptedException {
        try {
            while (!stopping) {
                tick();
                String failure = host.failure();
                if (failure != null) return new Outcome.GaveUp(failure);
                generations.want(slots.get());
                look();
                for (Generations.Action a : generations.step(now)) {
                    Outcome outcome = act(a);
                    if (outcome != null) return outcome;
                }
                tell();
                Worker w = ended.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
                if (w != null && !stopping) end(w);
            }
            return new Outcome.Stopped();
        } finally {
            close();
        }
    }

    /** What workers have said since. */
    private void look() {
        for (Worker w : List.copyOf(running.keySet()))
            store.find("ready/" + w.slot() + "/" + w.life()).ifPresent(said -> {
                String[] words = new String(said, StandardCharsets.UTF_8).split(" ");
                generations.ready(w, Integer.parseInt(words[0]), Long.parseLong(words[1]), now);
            });
        for (Worker w : running.keySet()) {
            long signs = store.add("alive/" + w.slot() + "/" + w.life(), 0);
            if (signs != this.signs.getOrDefault(w, 0L)) generations.alive(w, now);
            this.signs.put(w, signs);
        }
        this.signs.keySet().retainAll(running.keySet());
    }

    /** Lets those who wait know for whom, and members of a broken generation that it is. */
    private void tell() {
        String why = generations.broken();
        if (why != null && broken < generations.generation()) {
            broken = generations.generation();
            put("broken/" + broken, why);
        }
        String now = generations.waitsFor();
        if (now.equals(waitsFor)) return;
        waitsFor = now;
        put("waits", now);
    }

    /** The time that has passed, without that in which this process itself stood still. */
    private void tick() {
        long real = System.nanoTime();
        now += Math.min(real - last, STILL.toNanos());
        last = real;
    }

    private void end(Worker w) throws InterruptedException {
        RankProcess p;
        synchronized (running) {
            p = running.remove(w);
        }
        p.drain(LAST_OUTPUT);
        int status = p.process().exitValue();
        String how = Outcome.Failed.ended(status);
        if (status != 0) host.tell("%s %s".formatted(w.describe(), how));
        generations.ended(w, status, how, now);
        lost(w);
    }

    /** Tells the others that a process has ended, and lets them have what it was dealt. */
    private void lost(Worker w) {
        dealer.gone(w);
        gone.merge(w.slot(), w.life(), Math::max);
        put(
                "gone",
                gone.entrySet().stream()
                        .map(e -> e.getKey() + ":" + e.getValue())
                        .collect(Collectors.joining(" ")));
    }

    private Outcome act(Generations.Action action) throws InterruptedException {
        switch (action) {
            case Generations.Action.Start(Worker w) -> start(w);
            case Generations.Action.Form(int number, List<Worker> members, int root) -> {
                host.tell("generation %d: workers %s".formatted(number, slots(members)));
                String said =
                        root + " " + members.stream().map(Worker::toString).collect(Collectors.joining(" "));
                put("generation/" + number, said);
                put("current", Integer.toString(number));
            }
            case Generations.Action.Enter(Worker w) -> {
                host.tell("%s begins".formatted(w.describe()));
                put("enter/" + w.slot() + "/" + w.life(), "");
            }
            case Generations.Action.Leave(int number, String why) -> {
                host.tell("generation %d ends: %s".formatted(number, why));
                put("leave/" + number, why);
            }
            case Generations.Action.Kill(Worker w, String why) -> {
                host.tell(why + ", so it is killed");
                RankProcess p = running.get(w);
                if (p != null) p.stop(true);
            }
            case Generations.Action.Dismiss(Worker w) -> {
                host.tell(w.describe() + " is not needed any more");
                put("dismissed/" + w.slot() + "/" + w.life(), "");
            }
            case Generations.Action.Done() -> {
                return new Outcome.Done();
            }
            case Generations.Action.Fail(String why) -> {
                return new Outcome.GaveUp(why);
            }
        }
        return null;
    }

    private static String slots(List<Worker> members) {
        return members.stream().map(w -> Integer.toString(w.slot())).collect(Collectors.joining(", "));
    }

    private void put(String key, String value) {
        store.put(key, value.getBytes(StandardCharsets.UTF_8));
    }

    private void start(Worker w) throws InterruptedException {
        Map<String, String> environment = new HashMap<>(config.variables());
        environment.put(WORKER, w.toString());
        environment.put(SIZE, Integer.toString(config.ranks()));
        environment.put("OXBOW_RENDEZVOUS", config.rendezvous().toString());
        environment.put("OXBOW_JOB", config.job());
        environment.put("OXBOW_TOKEN", config.token());
        environment.put(LocalJob.LAUNCHER, Long.toString(ProcessHandle.current().pid()));
        ProcessBuilder b = new ProcessBuilder(host.command(w, environment));
        if (host.isLocal(w)) b.environment().putAll(environment);
        synchronized (running) {
            if (stopping) return;
            try {
                RankProcess p = new RankProcess(w.slot(), b.start(), sink);
                running.put(w, p);
                pids.add(p.process().pid());
                p.process().onExit().thenRun(() -> ended.add(w));
            } catch (IOException e) {
                host.tell("%s can not be started: %s".formatted(w.describe(), e.getMessage()));
                lost(w);
                generations.ended(w, 1, "can not be started: " + e.getMessage(), now);
            }
        }
    }

    /** The process ids of workers that run, by slot. */
    public Map<Integer, Long> pids() {
        synchronized (running) {
            return running.entrySet().stream()
                    .collect(Collectors.toMap(
                            e -> e.getKey().slot(), e -> e.getValue().process().pid()));
        }
    }

    /** Where workers meet. */
    public HostPort address() {
        return store.address();
    }

    /** Ends all workers, and removes what they left. */
    @Override
    public void close() {
        stopAll();
        exit.remove();
    }

    private void stopAll() {
        List<RankProcess> all;
        synchronized (running) {
            if (stopping) return;
            stopping = true;
            all = List.copyOf(running.values());
        }
        RankProcess.stopAll(all, config.grace(), LAST_OUTPUT);
        store.close();
        for (int g = 1; g <= generations.generation(); g++)
            Network.clear(name(config.job(), g), pids, ShmConfig.DEFAULT);
    }

    /** What the ranks of a generation call their job. */
    public static String name(String job, int generation) {
        return job + "-g" + generation;
    }
}
