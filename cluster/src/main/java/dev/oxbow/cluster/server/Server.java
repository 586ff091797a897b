package dev.oxbow.cluster.server;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.link.Links;
import dev.oxbow.cluster.master.Master;
import dev.oxbow.cluster.master.MasterService;
import dev.oxbow.cluster.rpc.Gate;
import dev.oxbow.cluster.rpc.Listener;
import dev.oxbow.cluster.rpc.Loops;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.cluster.worker.RemoteWorker;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.cluster.worker.WorkerService;
import dev.oxbow.net.HostPort;
import dev.oxbow.runtime.Engine;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One task of a cluster: its devices, its worker, a master for clients that come, and the port where both are called. */
public final class Server implements AutoCloseable {
    private final TaskName task;
    private final ClusterSpec cluster;
    private final ServerOptions options;
    private final Loops loops;
    private final Engine engine;
    private final LocalWorker worker;
    private final Master master;
    private final Health health;
    private final Links links;
    private final Listener listener;
    private final Traffic traffic = new Traffic();
    private final Gate gate;
    private final Map<TaskName, RemoteWorker> others = new ConcurrentHashMap<>();
    private final Map<TaskName, LocalWorker> neighbours;
    private boolean closed;

    /** Starts the task; it listens when this returns. */
    public Server(ClusterSpec cluster, TaskName task, ServerOptions options) {
        this(cluster, task, options, Map.of(), true);
    }

    /** As above, with other tasks of this process, which are called without messages; without a port unless it {@code listens}. */
    Server(
            ClusterSpec cluster,
            TaskName task,
            ServerOptions options,
            Map<TaskName, LocalWorker> neighbours,
            boolean listens) {
        this.cluster = cluster;
        this.task = task;
        this.options = options;
        this.neighbours = neighbours;
        HostPort address = cluster.address(task);
        String bind = bind(address, options);
        if (options.master().traceEvery() > 0) make(options.master().traceFolder(), "traces");
        make(options.master().costFolder(), "costs");
        this.gate = new Gate(task.toString());
        this.loops = new Loops("oxbow-" + task.job() + "-" + task.task(), options.eventLoops());
        this.engine = new Engine(options.engine().withTask(task.toString()));
        this.health = new Health(System::nanoTime, options.lostAfter());
        this.worker = new LocalWorker(task, cluster.tasks(), engine, options.worker(), loops, this::worker, health);
        this.master = new Master(worker, engine, cluster, this::worker, loops, health, options.master());
        loops.every(options.lostAfter().dividedBy(Health.LOOKS), health::look);
        try {
            this.links = listens && options.links().on() ? links(bind) : null;
        } catch (RuntimeException e) {
            loops.close();
            engine.close();
            throw e;
        }
        try {
            this.listener = listens
                    ? new Listener(
                            new HostPort(bind, address.port()),
                            loops,
                            options.security(),
                            options.maxMessageBytes(),
                            List.of(
                                    MasterService.of(master, task.toString(), loops.slow(), gate, traffic),
                                    WorkerService.of(worker, gate, traffic),
                                    ClusterService.of(worker, master, links, loops.slow(), traffic)),
                            options.direct(),
                            master::lost)
                    : null;
        } catch (RuntimeException e) {
            end();
            throw e;
        }
    }

    /** Makes a folder before anybody relies on what should be in it; null is none. */
    private static void make(Path folder, String what) {
        try {
            if (folder != null) Files.createDirectories(folder);
        } catch (IOException e) {
            throw new OxbowException(
                    FAILED_PRECONDITION, "server: the folder of %s can not be made: %s".formatted(what, e), e);
        }
    }

    private Links links(String bind) {
        return new Links(
                task.toString(),
                worker.devices().getFirst().incarnation(),
                bind,
                options.security(),
                options.trusted(),
                options.links(),
                worker::receive,
                traffic);
    }

    /** Where to listen; beyond loopback only with certificates and a token, or where the network is said to be trusted. */
    private static String bind(HostPort address, ServerOptions o) {
        String bind = o.bind() != null ? o.bind() : "127.0.0.1";
        boolean loopback = isLoopback(bind);
        boolean secured = o.security().tls() != null && !o.security().token().isEmpty();
        require(
                loopback || secured || o.trusted(),
                FAILED_PRECONDITION,
                "server: to listen at %s:%d, beyond this machine, it wants certificates and a token,"
                        + " or the network must be said to be trusted",
                bind,
                address.port());
        return bind;
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    public TaskName task() {
        return task;
    }

    public int port() {
        return listener.port();
    }

    /** What clients open: {@code grpc://host:port}. */
    public String target() {
        return "grpc://" + new HostPort(bind(cluster.address(task), options), port());
    }

    /** The worker of a task: this one, a neighbour, or one that is called by messages. */
    private Worker worker(TaskName name) {
        if (name.equals(task)) return worker;
        LocalWorker here = neighbours.get(name);
        if (here != null) return here;
        HostPort address = cluster.address(name);
        return others.computeIfAbsent(
                name,
                n -> new RemoteWorker(
                        n, new Peer(address, loops, options.security(), options.maxMessageBytes()), loops, links));
    }

    public LocalWorker localWorker() {
        return worker;
    }

    public Master master() {
        return master;
    }

    /** Its links to other tasks, or null where it has none. */
    public Links links() {
        return links;
    }

    /** Which other tasks it watches. */
    public Health health() {
        return health;
    }

    /** What it was asked and has answered. */
    public Traffic traffic() {
        return traffic;
    }

    public Engine engine() {
        return engine;
    }

    /**
     * Begins no new sessions and steps, gives those that run here or take part here so long to end, and closes. Until then
     * their values are still handed out. Gives whether all have ended by themselves.
     */
    public boolean drain(Duration grace) {
        long end = System.nanoTime() + grace.toNanos();
        gate.close();
        boolean ended = gate.awaitEmpty(grace) && worker.steps().await(n -> n == 0, until(end));
        if (listener != null) listener.drain(until(end));
        close();
        return ended;
    }

    private static Duration until(long nanos) {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        master.close();
        worker.close();
        if (listener != null) listener.close();
        end();
    }

    private void end() {
        others.values().forEach(RemoteWorker::close);
        if (links != null) links.close();
        loops.close();
        engine.close();
    }
}
