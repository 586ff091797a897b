package dev.oxbow.cluster.sim;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.master.Master;
import dev.oxbow.cluster.master.MasterCalls;
import dev.oxbow.cluster.master.MasterOptions;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.cluster.worker.WorkerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.wire.proto.ConfigProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All tasks of a cluster in this thread, in virtual time, over a simulated network. */
public final class SimulatedCluster implements AutoCloseable {
    private final ClusterSpec spec;
    private final SimulatedNetwork network;
    private final Duration lostAfter;
    private final Map<TaskName, Task> tasks = new LinkedHashMap<>();
    private final List<Task> all = new ArrayList<>();
    private boolean closed;

    /** One life of a task. */
    private final class Task implements SimulatedWorker.Life {
        private final TaskName name;
        private final Process process;
        private final Engine engine;
        private final LocalWorker worker;
        private final Master master;
        private final Map<TaskName, Worker> others = new LinkedHashMap<>();

        Task(TaskName name) {
            this.name = name;
            process = new Process(network, name.toString());
            engine = new Engine(EngineOptions.defaults().withThreads(1).withTask(name.toString()));
            Health health = new Health(network::nanoTime, lostAfter);
            worker =
                    new LocalWorker(name, spec.tasks(), engine, WorkerOptions.defaults(), process, this::other, health);
            master = new Master(worker, engine, spec, this::other, process, health, MasterOptions.defaults());
            process.every(lostAfter.dividedBy(Health.LOOKS), health::look);
        }

        private Worker other(TaskName task) {
            if (task.equals(name)) return worker;
            spec.address(task);
            return others.computeIfAbsent(task, t -> new SimulatedWorker(network, process, t, () -> tasks.get(t)));
        }

        @Override
        public Process process() {
            return process;
        }

        @Override
        public LocalWorker worker() {
            return worker;
        }

        void close() {
            master.close();
            worker.close();
            engine.close();
        }
    }

    /** Starts all tasks; one that gives no sign of life for {@code lostAfter} is lost. */
    public SimulatedCluster(ClusterSpec spec, SimulatedNetwork network, Duration lostAfter) {
        this.spec = spec;
        this.network = network;
        this.lostAfter = lostAfter;
        for (TaskName t : spec.tasks()) start(t);
    }

    private void start(TaskName name) {
        Task t = new Task(name);
        tasks.put(name, t);
        all.add(t);
    }

    private Task task(TaskName name) {
        spec.address(name);
        return tasks.get(name);
    }

    /** A session with the master of a task; its runs move the simulation until they end. */
    public Session open(TaskName master, Graph graph) {
        return open(master, graph, ConfigProto.getDefaultInstance());
    }

    Session open(TaskName master, Graph graph, ConfigProto config) {
        Task t = task(master);
        MasterCalls calls = new MasterCalls(t.master);
        return new SimulatedSession(
                network, new Process(network, "a client"), t.process, calls, graph, config, lostAfter);
    }

    /** Ends a task without a word, as kill -9 does. */
    public void crash(TaskName name) {
        network.crash(task(name).process);
    }

    /** Starts a task again that has crashed: another life, which knows nothing of the one before. */
    public void restart(TaskName name) {
        require(task(name).process.isCrashed(), FAILED_PRECONDITION, "cluster: %s runs", name);
        start(name);
    }

    /** Has a task stand still until {@link #resume}. */
    public void stop(TaskName name) {
        task(name).process.stop();
    }

    public void resume(TaskName name) {
        task(name).process.resume();
    }

    /** From now on nothing passes between these tasks and all others, until {@link SimulatedNetwork#heal}. */
    public void cut(TaskName... names) {
        Set<Process> some = new LinkedHashSet<>();
        Arrays.stream(names).forEach(n -> some.add(task(n).process));
        network.cut(some);
    }

    /** The worker of a task, to look at. */
    LocalWorker worker(TaskName name) {
        return task(name).worker;
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        network.close();
        for (Task t : all) t.process.resume();
        all.forEach(Task::close);
    }
}
