package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.Store;
import dev.oxbow.net.Transport;
import dev.oxbow.net.launch.ElasticJob;
import dev.oxbow.net.launch.Worker;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.net.tcp.TcpStore;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a process into a job whose processes come and go: it meets the others in one generation after the other, each with ranks
 * and a communicator of its own. One thread uses it.
 *
 * {@snippet :
 * try (Elastic job = Elastic.join()) {
 *     for (var g = job.meet(0); g.isPresent(); g = job.meet(0)) {
 *         Communicator ranks = g.get().ranks(); // trains until it fails or job.isAwaited()
 *     }
 * }
 * }
 */
public final class Elastic implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Elastic.class);
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Worker me;
    private final TcpStore table;
    private final RankEnvironment environment;
    private final JobConfig config;
    private volatile int last;
    private volatile Communicator ranks;
    private volatile boolean awaited;
    private volatile Consumer<String> whenBroken = _ -> {};
    private volatile BiConsumer<Integer, Integer> whenGone = (_, _) -> {};
    private final Map<Integer, Integer> gone = new HashMap<>();
    /** The newest generation of which {@link #whenBroken} was told. */
    private volatile int broken;
    /** Whether somebody is to be told of all who have gone, who was not there when they went. */
    private volatile boolean tellsAll;

    private volatile boolean closed;
    private volatile boolean dismissed;

    /**
     * Processes that do collectives together until one of them is lost or others come.
     *
     * @param root the rank that has got furthest, whose state all others take
     */
    public record Generation(int number, Communicator ranks, int root) {}

    private Elastic(Worker me, TcpStore table, RankEnvironment environment, JobConfig config) {
        this.me = me;
        this.table = table;
        this.environment = environment;
        this.config = config;
        Thread.ofPlatform().daemon().name("elastic").start(this::watch);
    }

    /** Whether this process was started as one of such a job. */
    public static boolean isHere() {
        return System.getenv(ElasticJob.WORKER) != null;
    }

    /** How many processes such a job, one of which this is, can have. */
    public static int most() {
        return Integer.parseInt(System.getenv(ElasticJob.SIZE));
    }

    /** Joins as this process's environment says; fails where it was not started by {@code launch --elastic}. */
    public static Elastic join() {
        return join(System.getenv());
    }

    public static Elastic join(Map<String, String> variables) {
        String worker = variables.get(ElasticJob.WORKER), size = variables.get(ElasticJob.SIZE);
        require(
                worker != null && size != null && size.matches("[0-9]{1,9}"),
                FAILED_PRECONDITION,
                "elastic: %s and %s are not set: start it by oxbow launch --elastic MIN:MAX",
                ElasticJob.WORKER,
                ElasticJob.SIZE);
        Worker me = Worker.parse(worker);
        RankEnvironment environment = RankEnvironment.from(variables);
        JobConfig config = JobConfig.from(variables);
        HostPort at = environment
                .address()
                .orElseThrow(() -> new OxbowException(
                        FAILED_PRECONDITION, "elastic: OXBOW_RENDEZVOUS is not set, so nobody knows where to meet"));
        TcpConfig tcp = TcpConfig.of(environment).withTrustedNetwork(config.trustedNetwork());
        if (config.tls().isPresent()) tcp = tcp.withTls(config.tls().get());
        TcpStore table = TcpStore.connect(at, me.slot() + 1, Integer.parseInt(size) + 1, tcp, config.timeout());
        return new Elastic(me, table, environment, config);
    }

    /** The place of this process among those of the job, which another one takes over when it is lost. */
    public int slot() {
        return me.slot();
    }

    /** How many processes of the job were started before this one. */
    public int life() {
        return me.life();
    }

    /**
     * Leaves the generation before, closes its communicator, and waits for the next one; empty when this process is not needed any
     * more. {@code position} says how far it has got, -1 for not at all: who is furthest is the root. Fails where there is none
     * within {@link #patience}, and says who is missing.
     */
    public Optional<Generation> meet(long position) {
        return meet(position, patience());
    }

    /** How long a process waits for others by default: as long as the launcher does, which has an end, and a moment more. */
    public Duration patience() {
        return config.timeout().multipliedBy(2);
    }

    /** As {@link #meet(long)}, within a time. */
    public Optional<Generation> meet(long position, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        leave();
        int next = Math.max(last, current()) + 1;
        table.put("ready/" + me.slot() + "/" + me.life(), bytes(last + " " + position));
        while (true) {
            Optional<byte[]> said = table.find("generation/" + next);
            if (said.isEmpty()) {
                if (table.find("dismissed/" + me.slot() + "/" + me.life()).isPresent()) return Optional.empty();
                await("generation/" + next, end, patience);
                continue;
            }
            String[] words = text(said.get()).split(" ");
            List<Worker> members = new ArrayList<>();
            for (int i = 1; i < words.length; i++) members.add(Worker.parse(words[i]));
            if (members.contains(me)) {
                last = next;
                Communicator formed = form(next, members);
                if (formed == null) { // somebody was lost meanwhile; those who are left meet again
                    table.put("ready/" + me.slot() + "/" + me.life(), bytes(last + " " + position));
                } else {
                    return Optional.of(new Generation(next, formed, Integer.parseInt(words[0])));
                }
            }
            next++;
        }
    }

    /** The newest generation, 0 before the first. */
    private int current() {
        return table.find("current").map(b -> Integer.parseInt(text(b))).orElse(0);
    }

    /** Waits a little for what is told next. */
    private void await(String key, long end, Duration patience) {
        try {
            table.get(key, LOOK);
        } catch (OxbowException e) {
            if (e.code() != DEADLINE_EXCEEDED || Thread.currentThread().isInterrupted()) throw e;
        }
        if (System.nanoTime() - end < 0) return;
        String missing = table.find("waits").map(Elastic::text).orElse("");
        throw new OxbowException(
                DEADLINE_EXCEEDED,
                "elastic: worker %d was not let in within %s: %s"
                        .formatted(
                                me.slot(),
                                patience,
                                missing.isEmpty() ? "the launcher has named nobody who is missing" : missing));
    }

    /**
     * Begins to train by itself, in a job whose workers do not take steps together; false where this process is not needed. Fails
     * where it is not let in within {@link #patience}, and says who is missing.
     */
    public boolean enter() {
        long end = System.nanoTime() + patience().toNanos();
        String own = me.slot() + "/" + me.life();
        table.put("ready/" + own, bytes("0 0"));
        while (table.find("enter/" + own).isEmpty()) {
            if (isDismissed()) return false;
            await("enter/" + own, end, patience());
        }
        return true;
    }

    /** Whether this process is not needed any more. */
    public boolean isDismissed() {
        return dismissed;
    }

    /** Asks the launcher which batch is next, or tells it what became of one: see the dealer there. */
    public String deal(String question) {
        return table.ask(me.toString(), question);
    }

    /**
     * Calls {@code then} with the reason, on a thread of its own, when the generation that runs was broken by a lost member, also
     * where it was before this is said; maybe more than once.
     */
    public void whenBroken(Consumer<String> then) {
        whenBroken = then;
        broken = 0;
    }

    /** Calls {@code then} with slot and life of processes that have ended, on a thread of its own, also of those before this is said. */
    public void whenGone(BiConsumer<Integer, Integer> then) {
        whenGone = then;
        tellsAll = true;
    }

    private Communicator form(int number, List<Worker> members) {
        int rank = members.indexOf(me), localRank = 0, localSize = 0;
        for (int r = 0; r < members.size(); r++) {
            if (!members.get(r).host().equals(me.host())) continue;
            if (r < rank) localRank++;
            localSize++;
        }
        String job = ElasticJob.name(environment.job(), number);
        RankEnvironment e = new RankEnvironment(
                rank,
                members.size(),
                localRank,
                localSize,
                environment.rendezvous(),
                job,
                environment.token(),
                "generation " + number);
        try {
            Transport transport = Ranks.transport(e, config, (_, _) -> new Prefixed(table, "g" + number + "/"));
            awaited = false;
            ranks = Communicator.start(transport, config.communicator());
        } catch (OxbowException failed) {
            if (failed.code().category() != ErrorCode.Category.PEER) throw failed;
            LOG.warn("elastic: generation {} was not formed: {}", number, failed.getMessage());
            return null;
        }
        return ranks;
    }

    /** Gives signs of life to the launcher, and notices that it wants the generation to end. */
    private void watch() {
        while (!closed) {
            try {
                table.add("alive/" + me.slot() + "/" + me.life(), 1);
                if (ranks != null && table.find("leave/" + last).isPresent()) awaited = true;
                look();
            } catch (OxbowException e) {
                if (!closed) LOG.warn("elastic: the launcher can not be asked any more: {}", e.getMessage());
                return;
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    private void look() {
        dismissed |= table.find("dismissed/" + me.slot() + "/" + me.life()).isPresent();
        int now = last;
        if (ranks != null && broken < now)
            table.find("broken/" + now).ifPresent(why -> {
                broken = now; // before it is known who is told, so that who comes in between is told, too
                Thread.ofVirtual().name("elastic-broken").start(() -> whenBroken.accept(text(why)));
            });
        if (tellsAll) {
            tellsAll = false;
            gone.clear();
        }
        String all = table.find("gone").map(Elastic::text).orElse("");
        if (all.isEmpty()) return;
        for (String one : all.split(" ")) {
            int slot = Integer.parseInt(one.split(":")[0]), life = Integer.parseInt(one.split(":")[1]);
            if (life <= gone.getOrDefault(slot, -1)) continue;
            gone.put(slot, life);
            Thread.ofVirtual().name("elastic-gone").start(() -> whenGone.accept(slot, life));
        }
    }

    /** Whether others wait to come in, or this process is to go: all members shall leave behind the same step, and meet again. */
    public boolean isAwaited() {
        return awaited;
    }

    private void leave() {
        if (ranks != null) ranks.close();
        ranks = null;
    }

    @Override
    public void close() {
        closed = true;
        leave();
        table.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The part of a table whose keys begin alike; it belongs to somebody else. */
    private record Prefixed(Store table, String prefix) implements Store {
        @Override
        public void put(String key, byte[] value) {
            table.put(prefix + key, value);
        }

        @Override
        public byte[] get(String key, Duration timeout) {
            return table.get(prefix + key, timeout);
        }

        @Override
        public Optional<byte[]> find(String key) {
            return table.find(prefix + key);
        }

        @Override
        public long add(String key, long delta) {
            return table.add(prefix + key, delta);
        }

        @Override
        public void close() {}
    }
}
