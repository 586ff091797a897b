package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.net.Link;
import dev.oxbow.net.shm.Lane;
import dev.oxbow.net.tcp.Switchboard;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All links of a task, and the thread that moves them. */
public final class Links implements Executor, AutoCloseable {

    /*
     * While contents go through rings the thread looks at them again and again, since waking it takes longer than a ring
     * lasts; then it says in each ring that it sleeps, looks once more, and waits for the connections, by one of which
     * who writes to a ring, or reads from it, wakes it.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Links.class);
    private static final long SPIN_NANOS = 20_000, YIELD_NANOS = 500_000, LONGEST_WAIT = 200_000_000;

    /** So often a thread that has something to do all the time looks who is at its port. */
    private static final int LOOK = 64;

    private static final long END_MILLIS = 5_000;

    private final String self;
    private final long incarnation;
    private final LinkOptions options;
    private final Way.Calls source;
    private final Traffic.Meter meter;
    private final Switchboard board;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<Way> ways = new ArrayList<>();
    private final List<Asking> asking = new ArrayList<>();
    private final List<Serving> serving = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final Thread thread;
    private volatile boolean closed;

    /** Nothing is moved any more: who comes now does it with the own thread. */
    private volatile boolean over;

    private volatile OxbowException failure;
    private long idleSince;

    /** Listens at a host as a task in one life of it; {@code source} has its values. */
    public Links(
            String self,
            long incarnation,
            String bind,
            Security security,
            boolean trusted,
            LinkOptions options,
            Way.Calls source,
            Traffic traffic) {
        this.self = self;
        this.incarnation = incarnation;
        this.options = options;
        this.source = source;
        this.meter = traffic.meter("Want");
        TcpConfig tcp = TcpConfig.LOOPBACK
                .withBind(bind, options.port())
                .withJob(name(self, incarnation))
                .withToken(security.token())
                .withTrustedNetwork(trusted);
        this.board = new Switchboard(security.tls() == null ? tcp : tcp.withTls(security.tls()), this::taken);
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("oxbow-links" + self.replace("/job:", "-").replace("/replica:0/task:", "-"))
                .start(this::run);
    }

    /** What one life of a task calls itself. */
    private static String name(String task, long incarnation) {
        return "%s %016x".formatted(task, incarnation);
    }

    public int port() {
        return board.port();
    }

    public long incarnation() {
        return incarnation;
    }

    /** The way to another task. */
    public Way to(String task, Way.Finder finder, Way.Calls calls) {
        Way w = new Way(this, task, finder, calls);
        execute(() -> ways.add(w));
        return w;
    }

    /** Has the thread of the links do something; at once where this is that thread. */
    @Override
    public void execute(Runnable task) {
        if (Thread.currentThread() == thread) {
            attempt(task);
            return;
        }
        tasks.add(task);
        board.wakeUp();
        if (over) runTasks();
    }

    private static void attempt(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.error("links: a task failed", e);
        }
    }

    /** How many bytes were copied into rings and out of them by the links that stand. */
    public long copied() {
        CompletableFuture<Long> sum = new CompletableFuture<>();
        execute(() -> sum.complete(lines.stream().mapToLong(Line::copied).sum()));
        return sum.join();
    }

    /** The tasks that values come from, and whether through shared memory; {@code then} is called by the thread of the links. */
    public void peers(Consumer<Map<String, Boolean>> then) {
        execute(() -> {
            Map<String, Boolean> all = new TreeMap<>();
            for (Asking a : asking)
                if (!a.line().isLost()) all.put(a.task(), a.line().lane() != null);
            then.accept(all);
        });
    }

    boolean isClosed() {
        return closed;
    }

    /** Why nothing comes any more. */
    OxbowException closing() {
        return failure != null ? failure : new OxbowException(CANCELLED, "%s is closed".formatted(self));
    }

    void dial(Way.Place place, String task, Switchboard.Dialled then) {
        board.dial(place.address(), name(task, place.incarnation()), task, then);
    }

    Asking asking(Link link, String task, Consumer<OxbowException> lost) {
        Asking a = new Asking(link, task, self, incarnation, options, System.nanoTime(), lost);
        asking.add(a);
        lines.add(a.line());
        return a;
    }

    private void taken(Link link) {
        Serving s = new Serving(link, source, this, options, meter, System.nanoTime(), serving::remove);
        serving.add(s);
        lines.add(s.line());
    }

    /** Whatever ends the thread ends the links: nobody would move them, and all that is wanted by them would wait for ever. */
    private void run() {
        try {
            loop();
        } catch (RuntimeException | Error e) {
            LOG.error("links of {} have ended", self, e);
            failure = new OxbowException(INTERNAL, "the links of %s have ended: %s".formatted(self, e), e);
            closed = true;
        }
        end();
    }

    private void loop() {
        long before = System.nanoTime(),
                look = before,
                often = options.heartbeat().toNanos() / 4;
        for (int passes = 0; !closed; passes++) {
            long now = System.nanoTime();
            long late = now - before - often; // it waits no longer than that
            if (late > 0) for (Line l : lines) l.forgive(late);
            before = now;
            boolean moved = runTasks();
            for (int i = 0; i < lines.size(); i++) moved |= lines.get(i).move(now);
            if (now - look >= 0) {
                lines.forEach(l -> l.keepAlive(now));
                lines.removeIf(Line::isLost);
                asking.removeIf(a -> a.line().isLost());
                look = now + often;
            }
            if (moved) {
                idleSince = now;
                if (passes % LOOK == 0) board.await(0);
            } else idle(now, look - now);
        }
    }

    private boolean runTasks() {
        boolean ran = false;
        for (Runnable r = tasks.poll(); r != null; r = tasks.poll()) {
            ran = true;
            attempt(r);
        }
        return ran;
    }

    private void idle(long now, long most) {
        long idle = now - idleSince;
        if (idle < SPIN_NANOS + YIELD_NANOS && isBusy()) {
            if (idle < SPIN_NANOS) Thread.onSpinWait();
            else rest(now);
            return;
        }
        boolean stirred = false;
        for (int i = 0; i < lines.size(); i++) stirred |= lines.get(i).announceSleep();
        board.await(stirred ? 0 : Math.clamp(most, 0, LONGEST_WAIT));
        for (int i = 0; i < lines.size(); i++) lines.get(i).endSleep();
        idleSince = System.nanoTime();
    }

    /** Lets others have the core for a moment, or has it to itself: see {@link Lane#part}. */
    private void rest(long now) {
        for (int i = 0; i < asking.size(); i++) asking.get(i).part(now);
        Thread.yield();
    }

    private boolean isBusy() {
        for (int i = 0; i < asking.size(); i++) if (asking.get(i).isTaking()) return true;
        for (int i = 0; i < serving.size(); i++) if (serving.get(i).line().isGiving()) return true;
        return false;
    }

    private void end() {
        OxbowException why = closing();
        board.close();
        for (Line l : List.copyOf(lines)) l.close(why);
        ways.forEach(w -> w.close(why));
        over = true;
        runTasks();
    }

    /** Ends all links, and what is wanted by them. */
    @Override
    public void close() {
        closed = true;
        board.wakeUp();
        try {
            thread.join(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) LOG.warn("links of {} still run {} ms after they were closed", self, END_MILLIS);
    }
}
