package dev.oxbow.cluster.link;

import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.net.sim.Simulation;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A task of a simulated network that has values for others and wants theirs; its lines are moved as {@link Links} does. */
final class SimulatedTask {
    private final Simulation simulation;
    private final int rank;
    private final LinkOptions options;
    final Traffic traffic = new Traffic();
    final List<Serving> serving = new ArrayList<>();
    final Map<Integer, Asking> asking = new HashMap<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<Runnable> soon = new ArrayList<>();
    private final Map<String, Tensor> values = new HashMap<>();
    private final Map<String, OxbowException> errors = new HashMap<>();
    private final Map<String, Rendezvous.Receiver> waiting = new HashMap<>();
    private long before;
    int open;

    SimulatedTask(Simulation simulation, int rank, LinkOptions options) {
        this.simulation = simulation;
        this.rank = rank;
        this.options = options;
        simulation.setStep(rank, this::step);
    }

    static String name(int rank) {
        return "/job:worker/replica:0/task:" + rank;
    }

    /** Makes a value now, for who wants it or will. */
    void send(String key, Tensor users) {
        Tensor value = users.retain(); // a user's tensor is given back when nobody sees it
        users.close();
        Rendezvous.Receiver r = waiting.remove(key);
        if (r != null) later(() -> r.accept(value, null));
        else values.put(key, value);
    }

    void fail(String key, OxbowException error) {
        Rendezvous.Receiver r = waiting.remove(key);
        if (r != null) later(() -> r.accept(null, error));
        else errors.put(key, error);
    }

    private void take(long step, String key, Cancellation c, Rendezvous.Receiver then) {
        Tensor there = values.remove(key);
        if (there != null || errors.containsKey(key)) {
            then.accept(there, errors.get(key));
            return;
        }
        waiting.put(key, then);
        c.register(why -> {
            if (waiting.remove(key, then)) then.accept(null, why);
        });
    }

    /** Asks another task for a value. */
    void want(int from, Wanted w) {
        open++;
        later(() -> asking(from).want(w));
    }

    void giveUp(int from, Wanted w, OxbowException why) {
        later(() -> asking(from).giveUp(w, why));
    }

    private Asking asking(int from) {
        return asking.computeIfAbsent(from, f -> {
            Asking a = new Asking(
                    simulation.node(rank).link(f), name(f), name(rank), rank, options, simulation.nanoTime(), _ -> {});
            lines.add(a.line());
            return a;
        });
    }

    private void later(Runnable what) {
        soon.add(what);
        simulation.node(rank).wakeUp();
    }

    private boolean step() {
        long now = simulation.nanoTime();
        if (now - before > options.heartbeat().toNanos()) lines.forEach(l -> l.forgive(now - before));
        before = now;
        lines.forEach(Line::endSleep);
        for (int peer = simulation.node(rank).opened();
                peer >= 0;
                peer = simulation.node(rank).opened()) {
            Serving s = new Serving(
                    simulation.node(rank).link(peer),
                    this::take,
                    Runnable::run,
                    options,
                    traffic.meter("Want"),
                    now,
                    _ -> {});
            serving.add(s);
            lines.add(s.line());
        }
        boolean moved;
        do {
            moved = !soon.isEmpty();
            List<Runnable> all = List.copyOf(soon);
            soon.clear();
            all.forEach(Runnable::run);
            for (Line l : List.copyOf(lines)) moved |= l.move(now);
            if (!moved) for (Line l : lines) moved |= l.announceSleep();
        } while (moved);
        lines.forEach(l -> l.keepAlive(now));
        for (Line l : List.copyOf(lines)) l.move(now);
        simulation.node(rank).await(options.heartbeat().toNanos() / 4);
        return open == 0;
    }

    /** Frees the values that nobody came for, and closes the lines of a task that was not crashed. */
    void close(OxbowException why) {
        soon.forEach(Runnable::run);
        for (Line l : List.copyOf(lines)) l.close(why);
        values.values().forEach(Tensor::release);
    }
}
