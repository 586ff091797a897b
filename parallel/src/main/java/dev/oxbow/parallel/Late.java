package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionDefinition;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.ops.state.VarHandleOp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which updates of a session run in steps of their own, in which parts, and the functions that they are. Thread-safe. */
final class Late {

    /*
     * A part is what one exchange brings: variables whose gradients are made one after the other, until they have the bytes of
     * a bucket. What depends on the same sum, such as everything behind a clip by the global norm, is one part. A variable
     * stays in its part, so that other kinds of runs know what to wait for.
     */

    private final boolean across;
    private final FunctionLibrary library = new FunctionLibrary();
    private final Map<String, Integer> parts = new HashMap<>();
    private int count;

    /** Of updates that may end in the next step, or else of towers that update as they finish. */
    Late(boolean across) {
        this.across = across;
    }

    boolean isAcross() {
        return across;
    }

    /** The functions of the user's graph, and updates. */
    FunctionLibrary library() {
        return library;
    }

    void learn(FunctionLibrary from) {
        for (FunctionDefinition f : from.definitions().values()) if (!library.has(f.name())) library.add(f);
        for (Function f : from.made().values()) if (!library.has(f.name())) library.add(f);
    }

    /** The part of the variable behind a handle, of which updates may be under way; -1 for none. */
    synchronized int of(Node handle) {
        return parts.getOrDefault(Families.name(handle), -1);
    }

    /** The parts of the variables, by name, that a run updates in steps of their own. */
    synchronized Map<String, Integer> learn(Subgraph s, Layouts layouts, Buckets buckets, long bytes) {
        Map<Node, Set<Edge>> writes = new LinkedHashMap<>();
        for (Node n : s.graph().nodes())
            if (Updates.isWrite(n) && !buckets.isInside(n)) writes.put(n, sources(n, layouts, buckets));
        Map<String, Integer> now = new HashMap<>();
        if (!across) {
            boolean isOfBatch = writes.values().stream().anyMatch(sources -> !sources.isEmpty());
            for (Node w : writes.keySet()) if (isOfBatch) for (String v : variables(w)) now.put(v, 0);
            return now;
        }
        long filled = bytes;
        for (Family f : families(writes)) {
            Integer part = null;
            for (String v : f.variables) if (parts.containsKey(v)) part = parts.get(v);
            if (part == null) {
                if (filled >= bytes) {
                    count++;
                    filled = 0;
                }
                part = count - 1;
                for (Edge e : f.sources) filled += Buckets.bytes(e);
            }
            for (String v : f.variables) {
                parts.putIfAbsent(v, part);
                now.put(v, parts.get(v));
            }
        }
        return now;
    }

    /** Variables that are updated together, and what of the batch that takes. */
    private record Family(Set<String> variables, Set<Edge> sources) {
        int last() {
            return sources.stream().mapToInt(e -> e.node().id()).max().orElse(-1);
        }
    }

    /** Those that are of the batch, in the order in which their gradients are made. */
    private static List<Family> families(Map<Node, Set<Edge>> writes) {
        List<Family> all = new ArrayList<>();
        writes.forEach((w, sources) -> {
            Family now = new Family(new LinkedHashSet<>(variables(w)), new LinkedHashSet<>(sources));
            for (Family f : List.copyOf(all)) {
                if (f.variables.stream().noneMatch(now.variables::contains)
                        && f.sources.stream().noneMatch(now.sources::contains)) continue;
                all.remove(f);
                now.variables.addAll(f.variables);
                now.sources.addAll(f.sources);
            }
            all.add(now);
        });
        all.removeIf(f -> f.sources.isEmpty());
        all.sort((a, b) -> Integer.compare(a.last(), b.last())); // stable
        return all;
    }

    private static List<String> variables(Node write) {
        List<String> all = new ArrayList<>();
        for (Edge e : write.inputs()) if (e.node().op() instanceof VarHandleOp) all.add(Families.name(e.node()));
        return all;
    }

    /** What of the batch a write depends on that the step itself does not need. */
    private static Set<Edge> sources(Node write, Layouts layouts, Buckets buckets) {
        Set<Edge> found = new LinkedHashSet<>();
        Set<Node> seen = new LinkedHashSet<>();
        Deque<Node> work = new ArrayDeque<>(List.of(write));
        while (!work.isEmpty()) {
            Node n = work.poll();
            if (!seen.add(n)) continue;
            for (Edge e : n.inputs()) {
                if (layouts.made(e).isBroadcast()) work.add(e.node());
                else if (!layouts.made(e).isPartial() || !buckets.isWaited(e)) found.add(e);
            }
        }
        return found;
    }
}
