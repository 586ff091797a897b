package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** What of a graph on whole values the parameter servers do, and what is left to the workers. */
final class Updates {

    /*
     * A server does the writes of its variables, and what leads to them from sums over the batch and from its own variables.
     * Everything else that a write needs is computed by the workers, who push it: summands of sums, rows of what is gathered,
     * and what each of them has alike, such as a rate that was fed or a value of another server's variable.
     *
     * What both need is computed by both: the workers then bring their parts together themselves (Exchange).
     */

    /** What one server does. */
    static final class Part {
        final int server;
        final List<Node> writes = new ArrayList<>();
        /** Nodes of the graph that it computes. */
        final Set<Node> body = new HashSet<>();
        /** What workers have partially. */
        final Set<Edge> sums = new LinkedHashSet<>();
        /** What workers have rows of. */
        final Set<Edge> rows = new LinkedHashSet<>();
        /** What all workers have. */
        final Set<Edge> same = new LinkedHashSet<>();
        /** What workers do before they push. */
        final Set<Node> before = new LinkedHashSet<>();

        Part(int server) {
            this.server = server;
        }

        /** Whether it depends on the batch. */
        boolean isOfBatch() {
            return !sums.isEmpty() || !rows.isEmpty();
        }
    }

    private record Question(Node node, int server) {}

    private final Subgraph graph;
    private final Layouts layouts;
    private final Buckets buckets;
    /** The server, or part, of the variable behind a handle; -1 where it is updated in the step itself. */
    private final ToIntFunction<Node> servers;

    private final Map<Integer, Part> parts = new TreeMap<>();
    private final Map<Question, Boolean> depends = new HashMap<>();
    private final Set<Node> workers = new HashSet<>();
    private final Set<Node> following = new HashSet<>();
    private final boolean[] leads;

    Updates(Subgraph graph, Layouts layouts, Buckets buckets, ToIntFunction<Node> servers) {
        this.graph = graph;
        this.layouts = layouts;
        this.buckets = buckets;
        this.servers = servers;
        this.leads = leads();
        for (Node n : graph.graph().nodes()) if (isApart(n)) add(n);
        for (Part p : parts.values())
            for (Node n : p.body) for (Node c : before(n)) if (!isApart(c) && !p.body.contains(c)) p.before.add(c);
        findWorkers();
    }

    List<Part> parts() {
        return List.copyOf(parts.values());
    }

    /** Whether the updates depend on the batch. */
    boolean areOfBatch() {
        return parts.values().stream().anyMatch(Part::isOfBatch);
    }

    /** Whether what is written depends on what variables are: whether doing it twice is not doing it once. */
    boolean areOfState() {
        return parts.values().stream()
                .anyMatch(p -> p.writes.stream().anyMatch(n -> !(n.op() instanceof AssignVariableOp))
                        || p.body.stream().anyMatch(n -> n.op().effects() == Effects.READS && !isHandle(n))
                        || p.same.stream().anyMatch(e -> isOfState(e.node())));
    }

    private boolean isOfState(Node n) {
        if (n.op().effects() == Effects.READS && !isHandle(n)) return true;
        return n.inputs().stream().anyMatch(e -> e.node().id() < n.id() && isOfState(e.node()));
    }

    private static boolean isHandle(Node n) {
        return n.op() instanceof VarHandleOp;
    }

    /** Whether a node is done by a server, as a part of an update. */
    boolean isApart(Node n) {
        return isWrite(n) && servers.applyAsInt(n.input(0).node()) >= 0;
    }

    /** Whether a node writes a variable. */
    static boolean isWrite(Node n) {
        return n.op().effects() == Effects.WRITES
                && n.inputCount() > 0
                && isHandle(n.input(0).node());
    }

    /** What a node runs after, where nodes that do nothing stand for what they run after. */
    static Set<Node> before(Node n) {
        Set<Node> all = new LinkedHashSet<>();
        for (Node c : n.controls()) {
            if (c.op() instanceof NoOp) all.addAll(before(c));
            else all.add(c);
        }
        return all;
    }

    /** Whether workers compute a node. */
    boolean isOfWorkers(Node n) {
        return workers.contains(n);
    }

    /** Whether a node of the workers comes after updates. */
    boolean follows(Node n) {
        return following.contains(n);
    }

    /** Whether workers need what they have of an edge together. */
    boolean isWanted(Edge e) {
        for (Node n : workers)
            for (int i = 0; i < n.inputCount(); i++)
                if (n.input(i).equals(e) && !layouts.rule(n).wants()[i].isPartial()) return true;
        return parts.values().stream().anyMatch(p -> p.same.contains(e));
    }

    private boolean[] leads() {
        List<Node> nodes = graph.graph().nodes();
        boolean[] leads = new boolean[nodes.size()];
        for (Node n : nodes.reversed()) {
            for (int p = 0; p < n.outputCount(); p++)
                leads[n.id()] |= !layouts.made(n.edge(p)).isBroadcast();
            if (!leads[n.id()]) continue;
            for (Node c : n.controls()) leads[c.id()] = true;
            for (Edge e : n.inputs()) if (e.node().id() < n.id()) leads[e.node().id()] = true;
        }
        return leads;
    }

    private void add(Node write) {
        if (write.outputCount() > 0) throw refused(write, "gives a value, which no server sends back");
        if (buckets.isInside(write)) throw refused(write, "is in a loop or a branch");
        if (leads[write.id()]) throw refused(write, "comes before what workers compute of the batch");
        Part p = parts.computeIfAbsent(servers.applyAsInt(write.input(0).node()), Part::new);
        p.writes.add(write);
        take(write, p);
    }

    private static OxbowException refused(Node n, String why) {
        return n.located(new OxbowException(
                UNIMPLEMENTED, "writes a variable of a parameter server and " + why + ": take Plan.ring()"));
    }

    /** Gives a node to a server, and what leads to it. */
    private void take(Node first, Part p) {
        Deque<Node> work = new ArrayDeque<>(List.of(first));
        while (!work.isEmpty()) {
            Node n = work.poll();
            if (!p.body.add(n)) continue;
            for (int i = 0; i < n.inputCount(); i++) {
                Edge e = n.input(i);
                Node from = e.node();
                Layout made = layouts.made(e);
                if (isHandle(from) && servers.applyAsInt(from) != p.server)
                    throw n.located(new OxbowException(
                            UNIMPLEMENTED, "takes variables of two parameter servers: " + Families.name(from)));
                if (made.isPartial()) p.sums.add(e);
                else if (made.isSplit()) p.rows.add(e);
                else if (isHandle(from) || isConstant(from) || dependsOn(from, p.server)) work.add(from);
                else p.same.add(e);
            }
        }
    }

    private boolean isConstant(Node n) {
        return n.op() instanceof Const && !buckets.isInside(n);
    }

    /** Whether a node can be computed by a server and depends on what only servers have: sums, or this server's variables. */
    private boolean dependsOn(Node n, int server) {
        Boolean known = depends.get(new Question(n, server));
        if (known != null) return known;
        boolean answer = isMovable(n, server) && comesFromServer(n, server);
        depends.put(new Question(n, server), answer);
        return answer;
    }

    private boolean comesFromServer(Node n, int server) {
        if (n.op().effects() == Effects.READS) return true;
        for (Edge e : n.inputs()) {
            if (!layouts.made(e).isBroadcast()) return true;
            if (!isHandle(e.node()) && dependsOn(e.node(), server)) return true;
        }
        return false;
    }

    private boolean isMovable(Node n, int server) {
        if (n.op() instanceof Arg || buckets.isInside(n) || n.op().waits()) return false;
        if (n.op() instanceof CoreOp && !(n.op() instanceof Identity)) return false;
        if (layouts.rule(n).isApart()) return false;
        boolean reads = n.op().effects() == Effects.READS;
        if (n.op().effects() != Effects.NONE && !reads) return false;
        boolean own = false;
        for (Edge e : n.inputs()) {
            if (e.type().isHandle() && !isHandle(e.node())) return false;
            if (isHandle(e.node()) && servers.applyAsInt(e.node()) != server) return false;
            own |= isHandle(e.node());
        }
        return !reads || own;
    }

    /** What workers need: what is fetched and run beside updates, and what they push. */
    private void findWorkers() {
        Deque<Node> work = new ArrayDeque<>();
        for (Node r : graph.roots()) if (!isApart(r)) work.add(r);
        for (Part p : parts.values()) {
            for (Set<Edge> pushed : List.of(p.sums, p.rows, p.same)) pushed.forEach(e -> work.add(e.node()));
            work.addAll(p.before);
        }
        while (!work.isEmpty()) {
            Node n = work.poll();
            if (isApart(n) || !workers.add(n)) continue;
            for (Edge e : n.inputs()) work.add(e.node());
            work.addAll(n.controls());
        }
        for (Node n : graph.graph().nodes()) {
            if (!workers.contains(n)) continue;
            boolean after = n.controls().stream().anyMatch(c -> isApart(c) || following.contains(c));
            for (Edge e : n.inputs()) after |= following.contains(e.node());
            if (after) following.add(n);
        }
        for (Part p : parts.values())
            for (Edge e : p.same)
                if (following.contains(e.node()))
                    throw refused(
                            p.writes.getFirst(),
                            "needs " + e + ", which comes after other writes and is of another server");
    }
}
