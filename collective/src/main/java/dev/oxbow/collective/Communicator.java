package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Mesh;
import dev.oxbow.net.Mixed;
import dev.oxbow.net.Transport;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
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
    private static final int MAX_EARLY = 1 << 16;
    private static final int MAX_FAILED = 256;
    private static final int LAST_STEPS = 100;

    private record Early(int from, Note note) {}

    private record Settling(Call call, long due) {}

    /** What comes for a failed group is dropped for the last time then. */
    private record Forgetting(long mark, long due) {}

    private final Transport transport;
    private final CommunicatorConfig config;
    private final Mesh mesh;
    private final Blocks blocks;
    private final NoteWriter writer = new NoteWriter();
    private final NoteReader reader;
    private final Trace trace;
    private final Residuals residuals = new Residuals(MemoryPool.shared());
    private final Stepper stepper;
    private final Group world;
    private final SendQueue sends = new SendQueue();
    private final Map<Long, Group> groups = new LinkedHashMap<>();
    private final Map<Long, List<Early>> early = new HashMap<>();
    private final List<Settling> settling = new ArrayList<>();
    private final List<Forgetting> forgetting = new ArrayList<>();
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final Map<Long, Queue<Long>> lent = new ConcurrentHashMap<>();
    private final Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
    private final List<MeshExchange> polled = new ArrayList<>();
    private final boolean crowded;
    private int earlyNotes;
    private long due = Long.MAX_VALUE;
    private volatile CostModel costs = CostModel.DEFAULT;
    private volatile boolean closed;

    private Communicator(Transport transport, CommunicatorConfig config, boolean threads) {
        this.transport = transport;
        this.config = config;
        crowded = transport.size() > Runtime.getRuntime().availableProcessors();
        reader = new NoteReader(transport.size());
        trace = new Trace(transport, config.traceSpans());
        blocks = new Blocks(transport);
        mesh = new Mesh(transport, config.mesh(), this::lost, this::noted);
        stepper = threads ? Stepper.threads(this, transport) : Stepper.byHand(this);
        world = new Group(
                this,
                Hash.of(0, "world"),
                "world",
                IntStream.range(0, transport.size()).toArray());
        groups.put(world.id(), world);
    }

    /**
     * A communicator over a formed transport, which it closes in the end. Collectives move on a thread of its own, or on
     * those that wait. Where the config wants it, waits until all ranks have measured.
     */
    public static Communicator start(Transport transport, CommunicatorConfig config) {
        Communicator c = new Communicator(transport, config, true);
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
        return new Communicator(transport, config, false);
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

    /** Memory as {@link #allocate} gives it, not cleared, to be given back by {@link #giveBack} and lent again. */
    public Elements lend(DType dtype, long count) {
        long bytes = lentBytes(count * dtype.size());
        Queue<Long> free = lent.get(bytes);
        Long address = free == null ? null : free.poll();
        return new Elements(
                address != null ? address : allocate(DType.U8, bytes).address(), count, dtype);
    }

    /** Takes back what {@link #lend} gave; no collective may use it any more. */
    public void giveBack(Elements x) {
        lent.computeIfAbsent(lentBytes(x.bytes()), _ -> new ConcurrentLinkedQueue<>())
                .add(x.address());
    }

    /** Powers of two, so that buckets of similar sizes share memory. */
    private static long lentBytes(long bytes) {
        return Math.max(64, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
    }

    /**
     * Zeroed memory for elements on which collectives copy least: ranks of the same host read it in place where the
     * transport shares memory. It stays until the communicator closes.
     */
    public Elements allocate(DType dtype, long count) {
        long bytes = Math.max(1, count * dtype.size());
        if (stepper.isByHand() || stepper.isHeld()) return new Elements(blocks.keep(bytes), count, dtype);
        FutureTask<Long> address = new FutureTask<>(() -> blocks.keep(bytes));
        submit(address);
        try {
            return new Elements(address.get(), count, dtype);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OxbowException known) throw known;
            throw new OxbowException(
                    INTERNAL, "Communicator: can not allocate %d bytes".formatted(bytes), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "Communicator: interrupted while it allocated memory", e);
        }
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
        return Math.max(0, Math.min(mesh.idleNanos(), due - transport.nanoTime()));
    }

    /** Leaves the job. Collectives that are under way fail here, and on the other ranks. */
    @Override
    public void close() {
        stepper.close(() -> {
            if (closed) return;
            turn();
            closed = true;
            for (Group g : List.copyOf(groups.values())) g.calls().close();
            for (int i = 0; i < LAST_STEPS && mesh.step(); i++) {}
            mesh.close();
            for (Settling s : settling) s.call.giveUp();
            for (Runnable r = inbox.poll(); r != null; r = inbox.poll()) r.run();
            callBack();
            residuals.close();
            blocks.close();
            writer.close();
        });
    }

    // ---- for the stepper

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
        if (!moved) moved = sends.relax();
        if (transport.nanoTime() >= due) look();
        return callBack() | moved;
    }

    private void look() {
        due = Long.MAX_VALUE;
        long now = transport.nanoTime();
        for (Group g : List.copyOf(groups.values())) g.calls().look(now);
        for (Settling s : settling) if (now >= s.due) s.call.giveUp();
        settling.removeIf(s -> s.call.pending().isDone());
        for (Settling s : settling) dueBy(s.due);
        forgetting.removeIf(f -> {
            if (now >= f.due) forget(f.mark);
            else dueBy(f.due);
            return now >= f.due;
        });
    }

    /** A group of the same mark that still works would lose messages, so then nothing is dropped. */
    private void forget(long mark) {
        for (Group g : groups.values()) if (g.mark() == mark && g.error() == null) return;
        mesh.forget(tag -> (tag & Group.MARK) == mark);
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

    // ---- for the rest of the package

    /** Does something in the next round; from any thread. */
    void submit(Runnable work) {
        inbox.add(work);
        stepper.submitted();
    }

    void await(Pending pending, long nanos) {
        stepper.await(pending, nanos);
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

    void later(Runnable callback) {
        callbacks.add(callback);
    }

    void add(Group group) {
        groups.put(group.id(), group);
        for (int m : group.members())
            if (m != rank() && mesh.loss(m) != null) group.calls().lost(m);
        List<Early> notes = early.remove(group.id());
        if (notes != null) {
            earlyNotes -= notes.size();
            for (Early e : notes) group.calls().note(e.from, e.note);
        }
        forgetFailed();
    }

    /** A new group, which no other rank needs to agree on. */
    Group form(long id, String name, int[] members) {
        Group group = new Group(this, id, name, members);
        add(group);
        return group;
    }

    private void forgetFailed() {
        int failed = 0;
        for (Group g : groups.values()) if (g.error() != null) failed++;
        for (Iterator<Group> all = groups.values().iterator(); failed > MAX_FAILED && all.hasNext(); ) {
            Group g = all.next();
            if (g == world || g.error() == null) continue;
            all.remove();
            failed--;
        }
    }

    void dueBy(long time) {
        due = Math.min(due, time);
    }

    /** Messages of a group that has failed are of no use; the last of them come within a grace time or two. */
    void failed(Group group) {
        long end = transport.nanoTime() + 2 * config.grace().toNanos();
        forgetting.add(new Forgetting(group.mark(), end));
        dueBy(end);
    }

    void settle(Call call) {
        long end = transport.nanoTime() + config.grace().toNanos();
        settling.add(new Settling(call, end));
        dueBy(end);
    }

    void note(int to, Note note) {
        if (mesh.loss(to) == null) mesh.note(to, writer.address(), writer.write(note));
    }

    private void noted(int from, long address, int length) {
        Note note;
        try {
            note = reader.read(address, length);
        } catch (OxbowException e) {
            if (e.code() != DATA_LOSS) throw e;
            LOG.warn("rank {}: dropped a note of rank {}: {}", rank(), from, e.getMessage());
            return;
        }
        Group group = groups.get(note.group());
        if (group != null) {
            group.calls().note(from, note);
        } else if (note instanceof Note.Ask(long id, long key)) {
            int[] none = {};
            Status unknown =
                    new Status(key, rank(), Status.State.NOT_CALLED, List.of(), new long[0], "", none, none, null);
            note(from, new Note.Answered(id, true, unknown));
        } else if (++earlyNotes <= MAX_EARLY) {
            early.computeIfAbsent(note.group(), _ -> new ArrayList<>()).add(new Early(from, note));
        } else {
            LOG.warn("rank {}: dropped a note of rank {} for a group that is not known here", rank(), from);
        }
    }

    private void lost(int peer, OxbowException why) {
        LOG.debug("rank {} has lost rank {}: {}", rank(), peer, why.getMessage());
        for (Group g : List.copyOf(groups.values())) g.calls().lost(peer);
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

    Residuals residuals() {
        return residuals;
    }

    /** The host of each of these ranks of the job, as far as the transport knows. */
    int[] hosts(int[] ranks) {
        int[] all = transport instanceof Mixed mixed ? mixed.hosts() : new int[size()];
        return Arrays.stream(ranks).map(r -> all[r]).toArray();
    }

    /** A defect: nothing moves any more, so nobody shall wait. */
    void broken(Throwable why) {
        LOG.error("rank {}: the communicator failed", rank(), why);
        OxbowException error =
                new OxbowException(INTERNAL, "rank %d: the communicator failed: %s".formatted(rank(), why), why);
        for (Group g : List.copyOf(groups.values())) g.calls().doom(error);
        for (Settling s : List.copyOf(settling)) s.call.giveUp();
        callBack(); // nobody may take another turn
    }

    SendQueue sends() {
        return sends;
    }

    Blocks blocks() {
        return blocks;
    }

    Logger log() {
        return LOG;
    }
}
