package dev.oxbow.cluster.master;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which tasks of a session are lost, and which of its steps need them: those end, and no other begins until the session is
 * opened again, though the task may have woken up. Steps that do without it go on.
 */
final class Losses implements AutoCloseable {
    private final Map<Cancellation, ClusterProgram> steps = new HashMap<>();
    private final Map<TaskName, OxbowException> lost = new HashMap<>();
    private final List<Health.Watch> watches = new ArrayList<>();
    private Cancellation registering = new Cancellation();
    private boolean closed;

    /** Watches the tasks of these devices, but the own one. */
    void watch(Health health, TaskName own, Map<TaskName, Worker> workers, Collection<DeviceSpec> devices) {
        Map<TaskName, Long> lives = new HashMap<>();
        for (DeviceSpec d : devices) lives.putIfAbsent(TaskName.ofDevice(d.name()), d.incarnation());
        lives.remove(own);
        List<Health.Watch> all = new ArrayList<>();
        lives.forEach((task, life) ->
                all.add(health.watch(task.toString(), life, workers.get(task)::status, why -> lose(task, why))));
        synchronized (this) {
            watches.addAll(all);
            if (!closed) return;
        }
        all.forEach(Health.Watch::close);
    }

    private void lose(TaskName task, OxbowException why) {
        List<Cancellation> ended = new ArrayList<>();
        Cancellation waiting;
        synchronized (this) {
            lost.put(task, why);
            for (var s : steps.entrySet()) if (uses(s.getValue(), task)) ended.add(s.getKey());
            waiting = registering;
            registering = new Cancellation();
        }
        for (Cancellation s : ended) s.cancel(why);
        waiting.cancel(why);
    }

    private static OxbowException before(OxbowException why) {
        return why.saying(why.text() + "; the session has to be opened again");
    }

    /** Cancelled when the next task is lost, for those who wait for a task to register something. */
    synchronized Cancellation registering() {
        return registering;
    }

    /** Fails where a part is for a task that is lost. */
    synchronized void check(List<Part> parts) {
        for (Part p : parts) {
            OxbowException why = lost.get(TaskName.ofDevice(p.device().name()));
            if (why != null) throw before(why);
        }
    }

    /** A step begins, which ends by this token when it needs a task that is lost. */
    void began(Cancellation step, ClusterProgram program) {
        OxbowException why = null;
        synchronized (this) {
            steps.put(step, program);
            for (var l : lost.entrySet()) if (uses(program, l.getKey())) why = l.getValue();
        }
        if (why != null) step.cancel(before(why));
    }

    private static boolean uses(ClusterProgram program, TaskName task) {
        return program.parts().stream().anyMatch(p -> p.worker().task().equals(task));
    }

    synchronized void ended(Cancellation step) {
        steps.remove(step);
    }

    synchronized boolean isLost(TaskName task) {
        return lost.containsKey(task);
    }

    @Override
    public void close() {
        List<Health.Watch> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(watches);
        }
        all.forEach(Health.Watch::close);
    }
}
