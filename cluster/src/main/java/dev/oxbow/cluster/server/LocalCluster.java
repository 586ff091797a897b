package dev.oxbow.cluster.server;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.sim.SimulatedCluster;
import dev.oxbow.cluster.sim.SimulatedNetwork;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** All tasks of a cluster in this process, or in children of it, for tests and to look into one with a debugger. */
public final class LocalCluster implements AutoCloseable {
    private static final int LEAST_PORT = 10_000, MOST_PORT = 32_000, PORTS_TRIED = 100;

    private final ClusterSpec spec;
    private final ServerOptions options;
    private final Map<TaskName, Server> servers = new LinkedHashMap<>();
    private final Map<TaskName, TaskProcess> processes = new LinkedHashMap<>();

    /** How the tasks reach each other. */
    public enum Links {
        /** By method calls, as do clients of this process: values are handed over. */
        CALLS,
        /** By messages, as tasks and clients of different processes do. */
        MESSAGES,
        /** By messages, each task in a child process. */
        PROCESSES
    }

    private LocalCluster(ClusterSpec spec, ServerOptions options, Links links) {
        this.spec = spec;
        this.options = options;
        Map<TaskName, LocalWorker> neighbours = new ConcurrentHashMap<>();
        try {
            if (links == Links.PROCESSES) {
                for (TaskName t : spec.tasks()) processes.put(t, new TaskProcess(spec, t, options));
                processes.values().forEach(TaskProcess::await);
                return;
            }
            for (TaskName t : spec.tasks()) {
                ServerOptions o = links == Links.CALLS
                        ? options.withLinks(options.links().withOn(false))
                        : options.withDirect(false);
                Server s = new Server(spec, t, o, neighbours, true);
                servers.put(t, s);
                if (links == Links.CALLS) neighbours.put(t, s.localWorker());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public static LocalCluster start(ClusterSpec spec) {
        return start(spec, ServerOptions.defaults(), Links.CALLS);
    }

    /** Starts all tasks; each listens at its address when this returns. */
    public static LocalCluster start(ClusterSpec spec, ServerOptions options, Links links) {
        return new LocalCluster(spec, options, links);
    }

    /**
     * All tasks in one thread and in virtual time, over a network with rates, delays, losses, cuts and stops by seed; one that
     * gives no sign of life for so long is lost.
     */
    public static SimulatedCluster start(ClusterSpec spec, SimulatedNetwork network, Duration lostAfter) {
        return new SimulatedCluster(spec, network, lostAfter);
    }

    /** A cluster on ports of this machine that nobody uses: jobs with so many tasks each. */
    public static ClusterSpec onFreePorts(Map<String, Integer> jobs) {
        List<ServerSocket> held = new ArrayList<>();
        Map<String, List<String>> all = new TreeMap<>();
        try {
            for (var job : jobs.entrySet()) {
                List<String> addresses = new ArrayList<>();
                for (int i = 0; i < job.getValue(); i++) {
                    ServerSocket s = free();
                    held.add(s);
                    addresses.add("127.0.0.1:" + s.getLocalPort());
                }
                all.put(job.getKey(), addresses);
            }
            return ClusterSpec.of(all);
        } catch (IOException e) {
            throw new OxbowException(ErrorCode.UNAVAILABLE, "cluster: there is no free port: " + e.getMessage(), e);
        } finally {
            for (ServerSocket s : held) closeQuietly(s);
        }
    }

    /** A port below those that systems give to connections: one of these might have it before the task listens. */
    private static ServerSocket free() throws IOException {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        for (int i = 0; i < PORTS_TRIED; i++)
            try {
                return new ServerSocket(ThreadLocalRandom.current().nextInt(LEAST_PORT, MOST_PORT), 1, here);
            } catch (BindException e) {
                // somebody has it
            }
        return new ServerSocket(0, 1, here);
    }

    private static void closeQuietly(ServerSocket s) {
        try {
            s.close();
        } catch (IOException e) {
            throw new OxbowException(ErrorCode.INTERNAL, "cluster: a port can not be given back: " + e, e);
        }
    }

    public ClusterSpec spec() {
        return spec;
    }

    /** A task of this process. */
    public Server server(String job, int task) {
        return of(servers, new TaskName(job, task), "runs in a process of its own");
    }

    /** A task of a child process. */
    public TaskProcess process(String job, int task) {
        return of(processes, new TaskName(job, task), "runs in this process");
    }

    /** Starts a task again whose process has ended, at the same address: another life of it. */
    public TaskProcess restart(String job, int task) {
        TaskName name = new TaskName(job, task);
        require(!process(job, task).isAlive(), FAILED_PRECONDITION, "cluster: the process of %s runs", name);
        TaskProcess p = new TaskProcess(spec, name, options);
        processes.put(name, p);
        p.await();
        return p;
    }

    private <T> T of(Map<TaskName, T> among, TaskName task, String otherwise) {
        spec.address(task);
        T t = among.get(task);
        require(t != null, FAILED_PRECONDITION, "cluster: %s %s", task, otherwise);
        return t;
    }

    /** The tasks of this process. */
    public List<Server> servers() {
        return List.copyOf(servers.values());
    }

    /** What clients of the first task open. */
    public String target() {
        return "grpc://" + spec.address(spec.tasks().getFirst());
    }

    @Override
    public void close() {
        processes.values().forEach(TaskProcess::close);
        servers.values().forEach(Server::close);
    }
}
