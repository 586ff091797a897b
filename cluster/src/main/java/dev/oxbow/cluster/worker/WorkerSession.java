package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.rpc.Schedule;
import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Limits;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.run.SessionState;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.GraphDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** What one session of a master has in this task. */
final class WorkerSession implements AutoCloseable {
    private final String handle;
    private final SessionState state;
    private final List<Containers> own = new ArrayList<>();
    private final Map<String, Registered> graphs = new ConcurrentHashMap<>();
    private final int mostGraphs;
    private final Executor threads;
    private final Schedule schedule;
    private long next;
    private volatile boolean closed;
    private Health.Watch master;

    WorkerSession(
            String handle, Engine engine, SessionOptions options, boolean isolated, int mostGraphs, Schedule schedule) {
        this.handle = handle;
        this.threads = schedule.compute(engine.width());
        this.schedule = schedule;
        this.mostGraphs = mostGraphs;
        List<Device> devices = engine.devices();
        if (isolated)
            devices = devices.stream()
                    .<Device>map(d -> new IsolatedDevice(d, new Containers()))
                    .toList();
        if (isolated) devices.forEach(d -> own.add(d.containers()));
        this.state = new SessionState(devices, threads, options);
    }

    /** Ends the watch on its master with the session. */
    synchronized void watched(Health.Watch watch) {
        if (closed) watch.close();
        else master = watch;
    }

    SessionState state() {
        return state;
    }

    /** Takes a graph in; its ops that are not known here are named, all of them. */
    String register(GraphDef graph, Limits limits) {
        require(
                graphs.size() < mostGraphs,
                RESOURCE_EXHAUSTED,
                "RegisterGraph: session %s has %d graphs registered, which is the limit",
                handle,
                mostGraphs);
        boolean learns = !schedule.isVirtual() && !Registered.loops(graph);
        Registered r = new Registered(graph, state, limits, new Pace(threads, schedule.slow(), learns));
        r.whole();
        String name;
        synchronized (this) {
            name = "%016x".formatted(++next);
        }
        graphs.put(name, r);
        if (closed && graphs.remove(name) != null) {
            r.close();
            throw new OxbowException(ABORTED, "RegisterGraph: session %s was closed meanwhile".formatted(handle));
        }
        return name;
    }

    Registered graph(String name) {
        Registered r = graphs.get(name);
        require(
                r != null,
                ABORTED,
                "Graph handle is not found: %s of session %s. Possibly, this worker just restarted.",
                name,
                handle);
        return r;
    }

    void deregister(String name) {
        Registered r = graphs.remove(name);
        require(
                r != null,
                ABORTED,
                "Graph handle is not found: %s of session %s. Possibly, this worker just restarted.",
                name,
                handle);
        r.close();
    }

    int size() {
        return graphs.size();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (master != null) master.close();
        }
        for (String name : List.copyOf(graphs.keySet())) {
            Registered r = graphs.remove(name);
            if (r != null) r.close();
        }
        state.close();
        own.forEach(c -> c.reset(List.of()));
    }
}
