package dev.oxbow.runtime.run;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Detaching;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Turns;
import dev.oxbow.graph.Turns.Turn;
import dev.oxbow.graph.core.FunctionCall;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The turns that steps of one program take before they begin, in the same order in all programs. */
record StepTurns(List<Turn> turns) {

    /** Those of the services that the nodes of graphs use, and those of functions that they call. */
    static StepTurns of(List<Graph> graphs, Services services) {
        Map<Class<?>, List<Node>> users = new TreeMap<>(Comparator.comparing(Class::getName));
        Queue<Graph> bodies = new ArrayDeque<>(graphs);
        Set<FunctionRef> called = new HashSet<>();
        for (Graph g = bodies.poll(); g != null; g = bodies.poll()) {
            boolean calls = !g.functions().isEmpty();
            for (Node n : g.nodes()) {
                Class<?> type = n.op().service();
                if (type != null && services.service(type) instanceof Turns)
                    users.computeIfAbsent(type, _ -> new ArrayList<>()).add(n);
                if (calls && !(n.op() instanceof Detaching)) addBodies(functions(n.op()), g, called, bodies);
            }
        }
        List<Turn> turns = new ArrayList<>();
        users.forEach((type, nodes) -> turns.add(((Turns) services.service(type)).turn(nodes)));
        return new StepTurns(List.copyOf(turns));
    }

    private static Collection<?> functions(Op op) {
        return op instanceof FunctionCall f
                ? List.of(f.function())
                : op.attributes().values();
    }

    private static void addBodies(Collection<?> values, Graph graph, Set<FunctionRef> called, Queue<Graph> bodies) {
        for (Object v : values) {
            if (v instanceof List<?> list) addBodies(list, graph, called, bodies);
            if (!(v instanceof FunctionRef f) || !called.add(f)) continue;
            try {
                bodies.add(graph.functions().get(f).body());
            } catch (OxbowException e) {
                continue; // it fails where it is called, if it is
            }
        }
    }

    boolean areCurrent() {
        for (Turn t : turns) if (!t.isCurrent()) return false;
        return true;
    }

    /** Calls {@code then} when all turns have come, with null, or with why they never will: now, or later in the executor. */
    void take(long step, String key, Cancellation cancellation, Executor executor, Consumer<Throwable> then) {
        if (turns.isEmpty()) {
            then.accept(null);
            return;
        }
        Throwable[] refusal = {null};
        AtomicBoolean first = new AtomicBoolean(); // of the two: the turns have come, and this method has returned
        take(0, step, key, cancellation, error -> {
            refusal[0] = error;
            if (!first.compareAndSet(false, true)) executor.execute(() -> then.accept(refusal[0]));
        });
        if (!first.compareAndSet(false, true)) then.accept(refusal[0]);
    }

    private void take(int i, long step, String key, Cancellation cancellation, Consumer<Throwable> then) {
        turns.get(i).take(step, key, cancellation, error -> {
            if (error != null) for (Turn t : turns.subList(0, i)) t.leave(step, null);
            if (error != null || i + 1 == turns.size()) then.accept(error);
            else take(i + 1, step, key, cancellation, then);
        });
    }

    void leave(long step, Throwable error) {
        for (Turn t : turns.reversed()) t.leave(step, error);
    }
}
