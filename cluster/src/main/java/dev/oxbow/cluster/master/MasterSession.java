package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.cluster.rpc.Connection;
import dev.oxbow.cluster.rpc.Schedule;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.compile.Anchors;
import dev.oxbow.runtime.compile.CostModel;
import dev.oxbow.runtime.compile.GlobalCompiler;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.compile.Placer;
import dev.oxbow.runtime.compile.Stages;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.RunOptions.TraceLevel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session of a client: its graph, and the programs that were made of it. */
final class MasterSession {
    private static final Logger LOG = LoggerFactory.getLogger(MasterSession.class);

    private final String handle;
    private final Graph graph;
    private final KnownNodes known;
    private final ConfigProto config;
    private final Map<TaskName, Worker> workers;
    private final List<DeviceSpec> devices;
    private final Schedule schedule;
    private final GlobalCompiler compiler;
    private final SessionOptions options;
    private final ProgramBuilder builder;
    private final Programs programs;
    private final ReadWriteLock growing = new ReentrantReadWriteLock();
    private final Map<String, PartialRuns> partials = new ConcurrentHashMap<>();
    private final Map<Long, Key> callables = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Losses losses = new Losses();
    private final Set<Cancellation> running = ConcurrentHashMap.newKeySet();
    private final Set<Connection> connections = new HashSet<>();
    private final Anchors anchors;
    private final Watching watching;
    private volatile boolean closed;
    private long version;

    MasterSession(
            String handle,
            Graph graph,
            KnownNodes known,
            ConfigProto config,
            Map<TaskName, Worker> workers,
            List<DeviceSpec> devices,
            Placer.Support support,
            CostModel costs,
            MasterOptions options,
            Schedule schedule) {
        this.handle = handle;
        this.graph = graph;
        this.known = known;
        this.config = config;
        this.workers = workers;
        this.devices = devices;
        this.schedule = schedule;
        this.options = options.session()
                .withSoftPlacement(config.getAllowSoftPlacement())
                .withLateReceives(config.getGraphOptions().getEnableRecvScheduling());
        this.compiler = new GlobalCompiler(devices, support, this.options, costs);
        this.anchors = compiler.anchors();
        this.builder = new ProgramBuilder(handle, workers, config);
        this.programs = new Programs(options.programs(), this::make);
        this.watching =
                new Watching(options, config.getGraphOptions(), costs, schedule.slow(), this::parts, programs::drop);
        this.version = graph.size();
    }

    /** Has its steps end that need a task which is lost. */
    void watch(Health health, TaskName own) {
        losses.watch(health, own, workers, devices);
    }

    String handle() {
        return handle;
    }

    List<DeviceSpec> devices() {
        return devices;
    }

    synchronized long version() {
        return version;
    }

    /** Adds nodes to the graph of the version that the client knows, all or none; gives the new version. */
    synchronized long extend(GraphDef nodes, long current) {
        requireOpen();
        require(
                current == version,
                ABORTED,
                "ExtendSession: the graph has version %d, the client extends version %d",
                version,
                current);
        growing.writeLock().lock();
        try {
            GraphImporter.extend(graph, known.of(nodes, graph.functions()));
        } finally {
            growing.writeLock().unlock();
        }
        return ++version;
    }

    private void make(Key key, BiConsumer<ClusterProgram, OxbowException> then) {
        schedule.slow().execute(() -> {
            try {
                List<Part> parts = parts(key, watching.noting(key));
                Cancellation lost = losses.registering();
                losses.check(parts);
                builder.register(parts, key.fetches().size(), lost, then);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                then.accept(null, Statuses.of(e));
            }
        });
    }

    /** The parts of a kind of run as they are registered, for who wants to look at them. */
    List<GraphDef> partitions(Key key) {
        return parts(key, null).stream()
                .map(p -> GraphExporter.writeReachable(p.graph().graph()))
                .toList();
    }

    /** Where the nodes of a kind of run are, in words. */
    String explain(Key key) {
        return watching.explain(key);
    }

    private List<Part> parts(Key key, Stages.Watcher watcher) {
        require(
                !key.fetches().isEmpty() || !key.targets().isEmpty(),
                INVALID_ARGUMENT,
                "Must specify at least one target to fetch or execute.");
        Subgraph cut;
        Map<String, DeviceSpec> places;
        growing.readLock().lock();
        try {
            places = anchors.of(graph);
            known.require(key.fetches());
            known.require(key.targets());
            known.require(key.feeds());
            cut = Cut.run(
                    graph,
                    key.feeds().stream().map(graph::edge).toList(),
                    key.fetches().stream().map(graph::edge).toList(),
                    key.targets().stream().map(graph::target).toList());
        } finally {
            growing.readLock().unlock();
        }
        cut = HeldFeeds.run(cut, key.held());
        List<Part> parts = Truncation.run(
                compiler.compile(cut, places, watching.now(key), new Stages(options::service, watcher)),
                config.getGraphOptions().getEnableBfloat16Sendrecv());
        if (config.getLogDevicePlacement())
            for (Part p : parts)
                for (Node n : p.graph().graph().nodes())
                    LOG.info(
                            "{}: ({}): {}",
                            n.name(),
                            n.op().signature().name(),
                            p.device().name());
        return parts;
    }

    /** Runs a step of the graph; fed tensors are borrowed until {@code then}. */
    void run(
            Key key,
            List<Tensor> feeds,
            long timeoutMillis,
            TraceLevel traced,
            Cancellation caller,
            BiConsumer<ClusterStep.Result, OxbowException> then) {
        HeldFeeds held = HeldFeeds.of(key, feeds, graph);
        if (held != null) {
            Key named = new Key(key.feeds(), key.fetches(), key.targets(), false, held.devices());
            run(named, held.values(), timeoutMillis, traced, caller, (result, error) -> {
                held.release();
                then.accept(result, error);
            });
            return;
        }
        BiConsumer<ClusterStep.Result, OxbowException> ended = begin(caller, timeoutMillis, then);
        Watching.Step step = watching.step(key, traced != TraceLevel.NO_TRACE, traced == TraceLevel.FULL_TRACE);
        programs.get(key, (program, error) -> {
            if (error != null) {
                ended.accept(null, error);
                return;
            }
            try {
                checkFeeds(key, feeds);
                losses.began(caller, program);
                ClusterStep.run(program, stepId(), feeds, step.isTraced(), caller, step.ending(ended));
            } catch (RuntimeException e) {
                ended.accept(null, Statuses.of(e));
            }
        });
    }

    /** As TensorFlow's, a positive number that no other master gives. */
    private static long stepId() {
        return ThreadLocalRandom.current().nextLong(1, 1L << 56);
    }

    private void checkFeeds(Key key, List<Tensor> feeds) {
        for (int i = 0; i < feeds.size(); i++) {
            if (!key.held().isEmpty() && !key.held().get(i).isEmpty()) continue; // looked at when it is read
            Edge e = graph.edge(key.feeds().get(i));
            Tensor t = feeds.get(i);
            require(
                    t.dtype() == e.type().dtype()
                            && t.shape().isCompatibleWith(e.type().shape()),
                    INVALID_ARGUMENT,
                    "feed %s: wants %s, got %s%s",
                    e,
                    e.type(),
                    t.dtype(),
                    t.shape());
        }
    }

    /** Notes that a step runs, until {@code then} is told of its end: by itself, by the deadline or by the session's. */
    private <T> BiConsumer<T, OxbowException> begin(
            Cancellation step, long timeoutMillis, BiConsumer<T, OxbowException> then) {
        running.add(step);
        long start = schedule.nanoTime();
        long millis = timeoutMillis > 0 ? timeoutMillis : config.getOperationTimeoutInMs();
        Future<?> deadline = millis <= 0
                ? null
                : schedule.after(
                        Duration.ofMillis(millis),
                        () -> step.cancel(DEADLINE_EXCEEDED, "the step did not end within %d ms".formatted(millis)));
        if (closed) step.cancel(gone());
        return (result, error) -> {
            running.remove(step);
            losses.ended(step);
            if (deadline != null) deadline.cancel(false);
            then.accept(result, error == null ? null : timed(error, start));
        };
    }

    /** An error that is a peer's says how long the step had run. */
    private OxbowException timed(OxbowException e, long start) {
        if (e.code() != UNAVAILABLE) return e;
        double seconds = (schedule.nanoTime() - start) / 1e9;
        return e.saying("%s; the step failed after %.1f s".formatted(e.text(), seconds));
    }

    private OxbowException gone() {
        return new OxbowException(
                CANCELLED,
                "Step was cancelled by an explicit call to `Session::Close()`: session %s has been closed."
                        .formatted(handle));
    }

    private void requireOpen() {
        if (closed) throw gone();
    }

    /** Prepares a partial run, and gives its handle. */
    void partialRun(Key key, BiConsumer<String, OxbowException> then) {
        requireOpen();
        programs.get(key, (program, error) -> {
            if (error != null) {
                then.accept(null, error);
                return;
            }
            String name = "%s;%d".formatted(handle, numbers.incrementAndGet());
            partials.put(name, new PartialRuns(name, program, key, graph, stepId()));
            then.accept(name, null);
        });
    }

    void runPartial(
            String name,
            List<String> feeds,
            List<Tensor> values,
            List<String> fetches,
            long timeoutMillis,
            Cancellation caller,
            BiConsumer<ClusterStep.Result, OxbowException> then) {
        PartialRuns p = partials.get(name);
        require(p != null, INVALID_ARGUMENT, "partial run: there is none with the handle '%s', or it has ended", name);
        BiConsumer<ClusterStep.Result, OxbowException> ended = begin(caller, timeoutMillis, then);
        try {
            losses.began(caller, p.program());
            p.run(feeds, values, fetches, caller, (result, error) -> {
                if (error != null || p.isDone()) {
                    partials.remove(name);
                    p.end();
                }
                ended.accept(result, error);
            });
        } catch (RuntimeException e) {
            ended.accept(null, Statuses.of(e));
        }
    }

    long makeCallable(Key key) {
        requireOpen();
        long number = numbers.incrementAndGet();
        callables.put(number, key);
        return number;
    }

    Key callable(long number) {
        Key k = callables.get(number);
        require(k != null, NOT_FOUND, "RunCallable: session %s has no callable %d", handle, number);
        return k;
    }

    void releaseCallable(long number) {
        callable(number);
        callables.remove(number);
    }

    /** Notes that a client talks to it by a connection. */
    synchronized void touched(Connection connection) {
        if (!connection.isGone()) connections.add(connection);
    }

    /** Notes that a connection has gone; true when it was the last. */
    synchronized boolean lost(Connection connection) {
        return connections.remove(connection) && connections.isEmpty();
    }

    synchronized boolean isForsaken() {
        return connections.isEmpty();
    }

    /** How many programs it has made. */
    long compiled() {
        return programs.made();
    }

    /** Cancels its steps, and has the workers forget it; {@code then} is called when they have, or do not answer. */
    void close(Runnable then) {
        closed = true;
        running.forEach(c -> c.cancel(gone()));
        partials.values().forEach(PartialRuns::end);
        partials.clear();
        programs.close();
        losses.close();
        AtomicInteger left = new AtomicInteger(workers.size());
        Runnable one = () -> {
            if (left.decrementAndGet() == 0) then.run();
        };
        for (Worker w : workers.values()) {
            boolean lost = losses.isLost(w.task());
            w.deleteSession(handle, error -> {
                if (error != null && !lost)
                    LOG.warn("session {}: {} did not forget it: {}", handle, w.task(), error.getMessage());
                if (!lost) one.run();
            });
            if (lost) one.run(); // it is told, should it wake up, and not waited for
        }
    }
}
