package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.StringValue;
import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.cluster.rpc.Call;
import dev.oxbow.cluster.rpc.Connection;
import dev.oxbow.cluster.rpc.Gauge;
import dev.oxbow.cluster.rpc.Recent;
import dev.oxbow.cluster.rpc.Schedule;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.DeviceName;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Engine;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.PartialRunSetupRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions whose master this process is, by handle. */
public final class Master implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Master.class);

    /** What a task may forget of what it has learnt, when it is killed. */
    private static final Duration SAVE = Duration.ofSeconds(10);

    private final LocalWorker local;
    private final Engine engine;
    private final ClusterSpec cluster;
    private final Function<TaskName, Worker> workers;
    private final Schedule schedule;
    private final Health health;
    private final MasterOptions options;
    private final Map<String, MasterSession> sessions = new ConcurrentHashMap<>();
    private final Gauge gauge = new Gauge();
    private final KeptCosts costs;

    /** Those that their clients have closed lately, for steps that come late. */
    private final Recent<String> closed = new Recent<>(10_000);

    /** A master in the task of {@code local}; {@code workers} finds those of all tasks. */
    public Master(
            LocalWorker local,
            Engine engine,
            ClusterSpec cluster,
            Function<TaskName, Worker> workers,
            Schedule schedule,
            Health health,
            MasterOptions options) {
        this.local = local;
        this.engine = engine;
        this.cluster = cluster;
        this.workers = workers;
        this.schedule = schedule;
        this.health = health;
        this.options = options;
        this.costs = new KeptCosts(options.costFolder());
        if (options.costFolder() != null)
            schedule.every(SAVE, () -> schedule.slow().execute(costs::save));
    }

    /** The workers that a session may use: that of this task, and those with a device that fits a filter, if there are any. */
    private Map<TaskName, Worker> workers(List<String> filters) {
        List<DeviceName> wanted = filters.stream().map(DeviceName::parse).toList();
        Map<TaskName, Worker> all = new LinkedHashMap<>();
        all.put(local.task(), local);
        for (TaskName t : cluster.tasks()) {
            boolean fits = wanted.isEmpty();
            for (DeviceName w : wanted) fits |= isOf(t, w);
            if (fits && !t.equals(local.task())) all.put(t, workers.apply(t));
        }
        return all;
    }

    private static boolean isOf(TaskName t, DeviceName filter) {
        return (filter.job() == null || filter.job().equals(t.job()))
                && (filter.task() == null || filter.task() == t.task());
    }

    /** Opens a session when all its tasks are up. */
    void create(
            GraphDef def,
            ConfigProto config,
            Connection connection,
            Cancellation caller,
            BiConsumer<MasterSession, OxbowException> then) {
        require(
                sessions.size() < options.sessions(),
                RESOURCE_EXHAUSTED,
                "CreateSession: there are %d sessions, which is the limit",
                options.sessions());
        Map<TaskName, Worker> used = workers(config.getDeviceFiltersList());
        Duration patience = config.getOperationTimeoutInMs() > 0
                ? Duration.ofMillis(config.getOperationTimeoutInMs())
                : Arrival.FOREVER;
        new Arrival(used.values(), schedule, patience, caller).await((devices, error) -> {
            if (error != null) then.accept(null, error);
            else schedule.slow().execute(() -> open(def, config, used, devices, connection, then));
        });
    }

    private void open(
            GraphDef def,
            ConfigProto config,
            Map<TaskName, Worker> used,
            List<DeviceSpec> devices,
            Connection connection,
            BiConsumer<MasterSession, OxbowException> then) {
        MasterSession session;
        try {
            KnownNodes known = new KnownNodes();
            Graph graph = GraphImporter.read(known.of(def, new FunctionLibrary(options.limits())), options.limits());
            String handle = "%016x".formatted(ThreadLocalRandom.current().nextLong());
            session = new MasterSession(
                    handle,
                    graph,
                    known,
                    config,
                    used,
                    devices,
                    this::supports,
                    config.getGraphOptions().getBuildCostModel() > 0 ? costs.of(def) : null,
                    options,
                    schedule);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            then.accept(null, Statuses.of(e));
            return;
        }
        session.touched(connection);
        new WorkerSessions(session.handle(), local, config, devices).open(used.values(), error -> {
            if (error != null) {
                session.close(() -> {});
                then.accept(null, error);
                return;
            }
            sessions.put(session.handle(), session);
            gauge.add(1);
            session.watch(health, local.task());
            if (connection.isGone()) leave(session); // before the session could be told
            then.accept(session, null);
        });
    }

    /** Says where the nodes of a kind of run of a session are, and why. */
    public void explain(PartialRunSetupRequest r, Call<StringValue> call) {
        try {
            Key key = new Key(r.getFeedList(), r.getFetchList(), r.getTargetList(), false);
            call.answer(StringValue.of(
                    session(r.getSessionHandle(), call.connection()).explain(key)));
        } catch (RuntimeException e) {
            call.fail(Statuses.of(e).in(local.task().toString()));
        }
    }

    /** Whether a device has a kernel: those of other tasks are asked when parts are registered. */
    private boolean supports(DeviceSpec d, Op op) {
        return local.task().owns(d.name())
                ? engine.devices().stream().anyMatch(x -> x.spec().equals(d) && x.supports(op))
                : d.type().equals("CPU");
    }

    /** The session of a handle, for a request that came by a connection. */
    MasterSession session(String handle, Connection connection) {
        MasterSession s = sessions.get(handle);
        if (s == null && closed.contains(handle))
            throw new OxbowException(CANCELLED, "Session %s has been closed.".formatted(handle));
        require(s != null, ABORTED, "Session %s is not found.", handle);
        s.touched(connection);
        return s;
    }

    void close(String handle, Connection connection, Consumer<OxbowException> then) {
        MasterSession s = session(handle, connection);
        closed.add(handle);
        end(s, () -> then.accept(null));
    }

    /** All devices of the cluster that can be reached now. */
    void devices(BiConsumer<List<DeviceSpec>, OxbowException> then) {
        new Arrival(workers(List.of()).values(), schedule, Arrival.MOMENT, new Cancellation()).await(then);
    }

    /** Closes all sessions, and empties containers on all tasks. */
    void reset(List<String> containers, List<String> filters, Consumer<OxbowException> then) {
        endAll();
        List<Worker> all = new ArrayList<>(workers(filters).values());
        AtomicInteger left = new AtomicInteger(all.size());
        OxbowException[] first = {null};
        for (Worker w : all)
            w.cleanupAll(containers, error -> {
                synchronized (first) {
                    if (error != null && first[0] == null) first[0] = error;
                }
                if (left.decrementAndGet() == 0) then.accept(first[0]);
            });
    }

    /** A connection has ended; sessions that had no other end with the lease, unless their client comes back. */
    public void lost(Connection connection) {
        for (MasterSession s : sessions.values()) if (s.lost(connection)) leave(s);
    }

    private void leave(MasterSession s) {
        schedule.after(options.lease(), () -> schedule.slow().execute(() -> endForsaken(s)));
    }

    private void endForsaken(MasterSession s) {
        if (!s.isForsaken()) return;
        LOG.debug(
                "session {}: its client has been gone for {} ms, it is closed",
                s.handle(),
                options.lease().toMillis());
        end(s, () -> {});
    }

    /** The sessions that are open. */
    public Gauge sessions() {
        return gauge;
    }

    /** How many programs were made for the sessions that are open. */
    public long compiled() {
        return sessions.values().stream().mapToLong(MasterSession::compiled).sum();
    }

    @Override
    public void close() {
        endAll();
        costs.save();
    }

    private void endAll() {
        for (MasterSession s : List.copyOf(sessions.values())) end(s, () -> {});
    }

    /** Closes a session, unless another has; {@code then} is called when the workers have forgotten it. */
    private void end(MasterSession s, Runnable then) {
        if (!sessions.remove(s.handle(), s)) {
            then.run();
            return;
        }
        gauge.add(-1);
        s.close(then);
    }
}
