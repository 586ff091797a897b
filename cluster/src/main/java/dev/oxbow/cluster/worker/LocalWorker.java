package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Gauge;
import dev.oxbow.cluster.rpc.Recent;
import dev.oxbow.cluster.rpc.Schedule;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.collective.keyed.Meeting;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteGroupResponse;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.CompleteInstanceResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import dev.oxbow.wire.proto.TaskStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker of this process. */
public final class LocalWorker implements Worker, AutoCloseable {
    /** How often steps are looked at that nobody may want any more, in parts of their lease. */
    private static final int LOOKS = 4;

    /** What a cancelled step may take to end: a kernel computes in bounded time. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(LocalWorker.class);

    private final TaskName task;
    private final Engine engine;
    private final WorkerOptions options;
    private final Schedule schedule;
    private final Function<TaskName, Worker> others;
    private final Health health;
    private final StepTable steps;
    private final Collectives collectives;
    private final Gauge running = new Gauge();
    private final Gauge sessionGauge = new Gauge();
    private final Rate rate = new Rate();
    private final Map<String, WorkerSession> sessions = new ConcurrentHashMap<>();
    private final Map<String, DeviceSpec> devices = new HashMap<>();

    /** Sessions whose masters were lost, so that one who wakes up is told. */
    private final Recent<String> dropped = new Recent<>(10_000);

    /** The worker of one of these tasks; {@code others} finds those that it gets values from. */
    public LocalWorker(
            TaskName task,
            List<TaskName> tasks,
            Engine engine,
            WorkerOptions options,
            Schedule schedule,
            Function<TaskName, Worker> others,
            Health health) {
        this.task = task;
        this.engine = engine;
        this.options = options;
        this.schedule = schedule;
        this.others = others;
        this.health = health;
        this.steps = new StepTable(new Others(), schedule::nanoTime);
        for (Device d : engine.devices()) devices.put(d.name(), d.spec());
        StepTable rounds = new StepTable(new Others(), schedule::nanoTime);
        this.collectives = new Collectives(tasks, devices, schedule, this::leader, rounds, options.stepLease());
        schedule.every(options.stepLease().dividedBy(LOOKS), () -> expire());
    }

    private void expire() {
        steps.expire(options.stepLease());
        collectives.expire();
    }

    /** The worker that leads collectives: this one, or another. */
    private Worker leader(TaskName name) {
        return name.equals(task) ? this : others.apply(name);
    }

    @Override
    public TaskName task() {
        return task;
    }

    @Override
    public void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then) {
        then.accept(devices(), null);
    }

    public List<DeviceSpec> devices() {
        return engine.devices().stream().map(Device::spec).toList();
    }

    @Override
    public void createSession(CreateWorkerSessionRequest r, Duration deadline, Consumer<OxbowException> then) {
        attempt(then, () -> {
            WorkerSession s = open(r.getSessionHandle(), r.getIsolateSessionState());
            if (sessions.putIfAbsent(r.getSessionHandle(), s) == null) {
                sessionGauge.add(1);
                watchMaster(r.getMasterTask(), r.getMasterIncarnation(), r.getSessionHandle(), s);
                return;
            }
            s.close();
            throw new OxbowException(
                    ALREADY_EXISTS, "CreateWorkerSession: session %s exists already".formatted(r.getSessionHandle()));
        });
    }

    /** A session goes when its master is lost; one that is not of this cluster is believed to live. */
    private void watchMaster(String name, long incarnation, String handle, WorkerSession s) {
        if (name.isEmpty() || name.equals(task.toString())) return;
        try {
            Worker master = others.apply(TaskName.ofDevice(name));
            s.watched(health.watch(name, incarnation, master::status, why -> masterLost(handle, s, why)));
        } catch (OxbowException e) {
            LOG.debug("session {}: its master {} is not watched: {}", handle, name, e.getMessage());
        }
    }

    private void masterLost(String handle, WorkerSession s, OxbowException why) {
        if (!sessions.remove(handle, s)) return;
        LOG.warn("{}: session {} is dropped, its master is lost: {}", task, handle, why.getMessage());
        dropped.add(handle);
        schedule.slow().execute(() -> forget(s, new OxbowException(ABORTED, lostMaster(handle), why)));
    }

    private static String lostMaster(String handle) {
        return "session %s was dropped here, since its master was lost".formatted(handle);
    }

    private void forget(WorkerSession s, OxbowException why) {
        steps.endAll(s, why);
        s.close();
        sessionGauge.add(-1);
    }

    private WorkerSession open(String handle, boolean isolated) {
        SessionOptions session = options.session().withService(Meeting.class, collectives);
        return new WorkerSession(handle, engine, session, isolated, options.graphs(), schedule);
    }

    /** The session of a handle; masters of old name none and share one. */
    private WorkerSession session(String handle) {
        WorkerSession s = handle.isEmpty() ? sessions.computeIfAbsent("", h -> open(h, false)) : sessions.get(handle);
        if (s == null && dropped.contains(handle)) throw new OxbowException(ABORTED, lostMaster(handle));
        require(
                s != null,
                ABORTED,
                "Session handle is not found: %s. Possibly this worker (\"%s\") just restarted.",
                handle,
                task);
        return s;
    }

    @Override
    public void deleteSession(String handle, Consumer<OxbowException> then) {
        attempt(then, () -> {
            WorkerSession s = sessions.remove(handle);
            if (s == null) return; // a master may ask twice
            forget(s, new OxbowException(CANCELLED, "session %s was closed".formatted(handle)));
        });
    }

    @Override
    public void register(RegisterGraphRequest r, Cancellation cancellation, BiConsumer<String, OxbowException> then) {
        schedule.slow().execute(() -> {
            String handle;
            try {
                handle = session(r.getSessionHandle()).register(r.getGraphDef(), options.limits());
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                then.accept(null, located(e));
                return;
            }
            then.accept(handle, null);
        });
    }

    @Override
    public void deregister(String session, String graph, Consumer<OxbowException> then) {
        attempt(then, () -> session(session).deregister(graph));
    }

    @Override
    public void cleanupAll(List<String> containers, Consumer<OxbowException> then) {
        attempt(then, () -> {
            List<String> names = containers.isEmpty() ? List.of(Containers.DEFAULT) : containers;
            for (Device d : engine.devices()) d.containers().reset(names);
        });
    }

    private void attempt(Consumer<OxbowException> then, Runnable what) {
        OxbowException error = null;
        try {
            what.run();
        } catch (RuntimeException e) {
            error = located(e);
        }
        then.accept(error);
    }

    private OxbowException located(Throwable e) {
        return Statuses.of(e).in(task.toString());
    }

    @Override
    public void run(RunGraph r, Cancellation cancellation, BiConsumer<RunGraph.Result, OxbowException> then) {
        BiConsumer<RunGraph.Result, OxbowException> located = (result, error) -> {
            running.add(-1);
            rate.count(System.nanoTime());
            then.accept(result, error == null ? null : located(error));
        };
        running.add(1);
        try {
            WorkerSession session = session(r.session());
            Registered graph = session.graph(r.graph());
            Step step = steps.step(r.step());
            StepRun run = new StepRun(step, session, graph, engine);
            if (r.partial()) run.partial(r, cancellation, located);
            else run.whole(r, cancellation, located);
        } catch (RuntimeException | OutOfMemoryError e) {
            located.accept(null, Statuses.of(e));
        }
    }

    @Override
    public void cleanup(long step) {
        steps.end(step, new OxbowException(ABORTED, "step %d has ended".formatted(step)));
    }

    /** Refuses a request that is sent again. */
    void seen(long request) {
        steps.seen(request);
    }

    @Override
    public void receive(long id, String key, Cancellation cancellation, Rendezvous.Receiver then) {
        StepRendezvous at;
        try {
            checkKey(key);
            at = (Collectives.isRound(id) ? collectives.step(id) : steps.step(id)).rendezvous;
        } catch (RuntimeException e) {
            then.accept(null, located(e));
            return;
        }
        new Taking(at, key, cancellation, then).start();
    }

    @Override
    public void completeGroup(
            CompleteGroupRequest request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<CompleteGroupResponse, OxbowException> then) {
        collectives.lead(request, cancellation, then);
    }

    @Override
    public void completeInstance(
            CompleteInstanceRequest request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<CompleteInstanceResponse, OxbowException> then) {
        collectives.lead(request, cancellation, then);
    }

    /** Refuses keys of devices that are not here, or were in an earlier life. */
    private void checkKey(String text) {
        RendezvousKey key = RendezvousKey.parse(text);
        DeviceSpec d = devices.get(key.sendDevice());
        require(d != null, ABORTED, "RecvTensor: %s has no device %s", task, key.sendDevice());
        require(
                d.incarnation() == key.incarnation(),
                ABORTED,
                "RecvTensor: %s of %s has incarnation %016x, the key of the value has %016x: the task was restarted",
                key.sendDevice(),
                task,
                d.incarnation(),
                key.incarnation());
    }

    /** Finds values of other tasks by the devices in their keys. */
    private final class Others implements StepRendezvous.Source {
        @Override
        public boolean isLocal(String key) {
            return task.owns(key);
        }

        @Override
        public void fetch(long step, String key, Cancellation cancellation, Rendezvous.Receiver then) {
            Worker from;
            try {
                from = others.apply(TaskName.ofDevice(key.substring(0, Math.max(0, key.indexOf(';')))));
            } catch (RuntimeException e) {
                then.accept(null, e);
                return;
            }
            from.receive(step, key, cancellation, then);
        }
    }

    /** The steps that are known here. */
    public Gauge steps() {
        return steps.gauge();
    }

    public Gauge sessions() {
        return sessionGauge;
    }

    /** Adds what this worker does to a status. */
    public void tell(TaskStatus.Builder to) {
        long now = System.nanoTime();
        for (Device d : engine.devices())
            to.addDevice(TaskStatus.Device.newBuilder()
                    .setName(d.name())
                    .setMemoryLimit(d.memory().budgetInBytes())
                    .setMemoryUsed(d.memory().bytesInUse()));
        for (Step s : steps.all())
            s.rendezvous
                    .wanted()
                    .forEach((key, since) -> to.addWait(TaskStatus.Wait.newBuilder()
                            .setStep(s.id)
                            .setKey(key)
                            .setNanos(now - since)));
        to.setTask(task.toString())
                .setIncarnation(devices().getFirst().incarnation())
                .setWorkerSessions(sessionGauge.value())
                .setGraphs(graphCount())
                .setStepsRunning(running.value())
                .setStepsEnded(rate.total())
                .setStepsASecond(rate.aSecond(now));
    }

    /** The graphs that are registered here. */
    public int graphCount() {
        return sessions.values().stream().mapToInt(WorkerSession::size).sum();
    }

    /** Ends all steps and sessions. */
    @Override
    public void close() {
        steps.endAll(new OxbowException(CANCELLED, "the server is closed"));
        collectives.close();
        if (!running.await(n -> n == 0, GRACE))
            LOG.warn("{}: steps still run {} s after they were cancelled", task, GRACE.toSeconds());
        for (String handle : List.copyOf(sessions.keySet())) {
            WorkerSession s = sessions.remove(handle);
            if (s != null) s.close();
        }
    }
}
