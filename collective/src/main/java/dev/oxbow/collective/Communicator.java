package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.cost.CostModel;
import dev.oxbow.collective.failure.Words;
import dev.oxbow.net.Mesh;
import dev.oxbow.net.Transport;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process's place among the ranks of a job: owns the transport, and makes collectives move. Thread-safe. */
public final class Communicator implements AutoCloseable {

    /*
     * Everything below this class is for one thread at a time: whoever holds the role of the Stepper. Calls from any thread
     * are put into a queue; the holder of the role takes them from there before each step.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Communicator.class);
    private static final int LAST_STEPS = 100;

    private record Settling(Call call, long due) {}

    private final Transport transport;
    private final CommunicatorConfig config;
    private final Mesh mesh;
    private final Blocks blocks;
    private final Trace trace;
    private final Stepper stepper;
    private final Group world;
    private final SendQueue sends;
    private final KnownGroups groups;
    private final List<Settling> settling = new ArrayList<>();
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final Loans loans;
    private final Copier copier;
    private final Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
    private final List<MeshExchange> polled = new ArrayList<>();
    private final boolean crowded;
    private final IntConsumer blame;
    private long due = Long.MAX_VALUE;
    private volatile CostModel costs = CostModel.DEFAULT;
    private volatile int open;
    private volatile boolean closed;

    private Communicator(Transport transport, CommunicatorConfig config, boolean threads, IntConsumer blame) {
        this.transport = transport;
        this.blame = blame;
        this.config = config;
        crowded = transport.size() > Runtime.getRuntime().availableProcessors();
        groups = new KnownGroups(this);
        trace = new Trace(transport, config.traceSpans());
        blocks = new Blocks(transport);
        loans = new Loans(transport, bytes -> onStepper(() -> transport.allocateShared(bytes)));
        copier = Copier.by(transport::nanoTime);
        mesh = new Mesh(transport, config.mesh(), groups::lost, groups::noted);
        sends = new SendQueue(mesh::isSent);
        stepper = threads ? Stepper.threads(this, transport) : Stepper.byHand(this);
        world = new Group(
                this,
                Hash.of(0, "world"),
                "world",
                IntStream.range(0, transport.size()).toArray());
        groups.add(world);
    }

    /**
     * A communicator over a formed transport, which it closes in the end. Collectives move on a thread of its own, or on
     * those that wait. Where the config wants it, waits until all ranks have measured.
     */
    public static Communicator start(Transport transport, CommunicatorConfig config) {
        return start(transport, config, _ -> {});
    }

    /** The same, and tells {@code blame} which rank a group has failed for. */
    static Communicator start(Transport transport, CommunicatorConfig config, IntConsumer blame) {
        Communicator c = new Communicator(transport, config, true, blame);
        c.stepper.start();
        if (config.measure()) {
            try {
                c.measure();
            } catch (RuntimeException e) {
                c.close();
                throw e;
            }
        }
        return c;
    }

    /** A communicator without threads, which moves only inside {@link #step}. One thread uses it. */
    public static Communicator stepped(Transport transport, CommunicatorConfig config) {
        return new Communicator(transport, config, false, _ -> {});
    }

    public int rank() {
        return transport.rank();
    }

    public int size() {
        return transport.size();
    }

    /** All ranks of the job. */
    public Group world() {
        return world;
    }

    /** The ranks of the job that are not known to be gone, this one included. */
    public int[] survivors() {
        return IntStream.range(0, size())
                .filter(r -> r == rank() || mesh.loss(r) == null)
                .toArray();
    }

    /**
     * Measures links and the speed of combining, and chooses algorithms by what all ranks agree on. Every rank calls it; it
     * waits for the others. In deterministic mode nothing is measured.
     */
    public void measure() {
        if (config.deterministic() || size() == 1) return;
        costs = Probe.measure(world);
    }

    /** What messages between ranks cost; null where nothing was measured. */
    public LinkCost linkCost() {
        return LinkCost.of(costs, transport);
    }

    /** Lends at least so many bytes of memory. */
    public Loan lend(long bytes) {
        require(!closed, FAILED_PRECONDITION, "rank %d has closed its communicator", rank());
        return loans.lend(bytes);
    }

    /**
     * Zeroed memory for elements on which collectives copy least: ranks of the same host read it in place where the
     * transport shares memory. It stays until the communicator closes.
     */
    public Elements allocate(DType dtype, long count) {
        long bytes = Math.max(1, count * dtype.size());
        return new Elements(onStepper(() -> blocks.keep(bytes)), count, dtype);
    }

    /** Does something that only the thread may do that moves collectives. */
    private long onStepper(Callable<Long> work) {
        FutureTask<Long> task = new FutureTask<>(work);
        if (stepper.isByHand() || stepper.isHeld()) task.run();
        else submit(task);
        try {
            return task.get(config.deadline().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OxbowException known) throw known;
            throw new OxbowException(INTERNAL, "Communicator: can not allocate memory", e.getCause());
        } catch (TimeoutException e) {
            task.cancel(false);
            String text = "Communicator: rank %d got no turn to allocate memory within %s"
                    .formatted(rank(), Words.seconds(config.deadline().toNanos()));
            throw new OxbowException(DEADLINE_EXCEEDED, text, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "Communicator: interrupted while it allocated memory", e);
        }
    }

    /**
     * Moves collectives with this thread until the condition holds, it is interrupted, or about so many nanoseconds have
     * passed. The thread may sleep: {@link #wakeUp} and {@code LockSupport.unpark} make it look at its condition.
     */
    public void work(BooleanSupplier until, long nanos) {
        BooleanSupplier over =
                () -> until.getAsBoolean() || Thread.currentThread().isInterrupted();
        stepper.await(over, n -> LockSupport.parkNanos(this, n), nanos);
    }

    /** Makes the thread that moves collectives look at its condition. */
    public void wakeUp() {
        transport.wakeUp();
    }

    /** What was done when, for a timeline. */
    public Trace trace() {
        return trace;
    }

    public CommunicatorConfig config() {
        return config;
    }

    /** Moves everything that can move; whether anything did. For communicators without threads. */
    public boolean step() {
        require(stepper.isByHand(), FAILED_PRECONDITION, "Communicator: rank %d has a thread that steps it", rank());
        return turn();
    }

    /** Nanoseconds until {@link #step} has something to do by the clock alone. */
    public long idleNanos() {
        if (!inbox.isEmpty() || !callbacks.isEmpty()) return 0;
        return Math.max(0, Math.min(mesh.idleNanos(), Math.min(due, sends.due()) - transport.nanoTime()));
    }

    /** Leaves the job. Collectives that are under way fail here, and on the other ranks. */
    @Override
    public void close() {
        stepper.close(() -> {
            if (closed) return;
            turn();
            closed = true;
            for (Group g : groups.all()) g.failing().close();
            for (int i = 0; i < LAST_STEPS && mesh.step(); i++) {}
            loans.close();
            mesh.close();
            for (Settling s : settling) s.call.giveUp();
            for (Runnable r = inbox.poll(); r != null; r = inbox.poll()) r.run();
            callBack();
            blocks.close();
            groups.close();
        });
    }

    /** One round: new calls, messages, the clock, callbacks. */
    boolean turn() {
        boolean moved = false;
        for (Runnable r = inbox.poll(); r != null; r = inbox.poll()) {
            r.run();
            moved = true;
        }
        if (closed) return callBack() | moved;
        moved |= mesh.step();
        for (int i = polled.size() - 1; i >= 0; i--)
            if (i < polled.size()) moved |= polled.get(i).round();
        if (!moved) moved = sends.relax(transport.nanoTime());
        if (transport.nanoTime() >= due) look();
        return callBack() | moved;
    }

    private void look() {
        due = Long.MAX_VALUE;
        long now = transport.nanoTime();
        for (Group g : groups.all()) g.calls().look(now);
        for (Settling s : settling) if (now >= s.due) s.call.giveUp();
        settling.removeIf(s -> s.call.pending().isDone());
        for (Settling s : settling) dueBy(s.due);
    }

    private boolean callBack() {
        boolean any = false;
        for (Runnable r = callbacks.poll(); r != null; r = callbacks.poll()) {
            any = true;
            try {
                r.run();
            } catch (RuntimeException | Error e) {
                LOG.error("rank {}: a callback of a collective failed", rank(), e);
            }
        }
        return any;
    }

    /** Does something in the next round; from any thread. */
    void submit(Runnable work) {
        inbox.add(work);
        stepper.submitted();
    }

    void await(Pending pending, long nanos) {
        stepper.await(pending::isDone, pending::sleep, nanos);
    }

    /** A call is under way from now on, or is no longer. */
    void open(int more) {
        open += more;
    }

    /** Whether calls of this rank are under way. */
    boolean isBusy() {
        return open > 0;
    }

    /** The exchange has work in every round, until {@link #rest}. */
    void poll(MeshExchange exchange) {
        polled.add(exchange);
    }

    void rest(MeshExchange exchange) {
        polled.remove(exchange);
    }

    /** Passes a moment in a way that suits ranks that all are on this host. */
    void pause() {
        if (crowded) Thread.yield();
        else Thread.onSpinWait();
    }

    /** Whether all these ranks of the job see each other's shared memory. */
    boolean shares(int[] ranks) {
        return Arrays.stream(ranks).allMatch(r -> r == rank() || transport.shares(r));
    }

    void blame(int culprit) {
        blame.accept(culprit);
    }

    void later(Runnable callback) {
        callbacks.add(callback);
    }

    KnownGroups groups() {
        return groups;
    }

    void dueBy(long time) {
        due = Math.min(due, time);
    }

    /** Messages of a group that fails are of no use. */
    void forget(Group group) {
        mesh.forget(group.id());
    }

    void settle(Call call) {
        long end = transport.nanoTime() + config.grace().toNanos();
        settling.add(new Settling(call, end));
        dueBy(end);
    }

    boolean isClosed() {
        return closed;
    }

    boolean hasWork() {
        return !inbox.isEmpty();
    }

    long nanoTime() {
        return transport.nanoTime();
    }

    Mesh mesh() {
        return mesh;
    }

    Transport transport() {
        return transport;
    }

    CostModel costs() {
        return costs;
    }

    /** The host of each of these ranks of the job, as far as the transport knows. */
    int[] hosts(int[] ranks) {
        return Arrays.stream(ranks).map(transport::host).toArray();
    }

    /** A defect: nothing moves any more, so nobody shall wait. */
    void broken(Throwable why) {
        LOG.error("rank {}: the communicator failed", rank(), why);
        OxbowException error =
                new OxbowException(INTERNAL, "rank %d: the communicator failed: %s".formatted(rank(), why), why);
        for (Group g : groups.all()) g.failing().doom(error);
        for (Settling s : List.copyOf(settling)) s.call.giveUp();
        callBack(); // nobody may take another turn
    }

    SendQueue sends() {
        return sends;
    }

    Blocks blocks() {
        return blocks;
    }

    Copier copier() {
        return copier;
    }

    Logger log() {
        return LOG;
    }
}
