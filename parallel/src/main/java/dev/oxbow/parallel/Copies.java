package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.flow.IdentityN;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.ops.CommitPush;
import dev.oxbow.parallel.ops.GradientPush;
import dev.oxbow.parallel.ops.VersionWait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a worker keeps of the servers' variables in its own task, as one kind of run reads and renews it. */
final class Copies {

    /*
     * What servers send back is read there behind the update: when all workers have pushed, or, where each push is an update by
     * itself, behind the push. Nobody can begin the next update before this worker pushes again where all do so together, so
     * what comes back is of one version. Copies are set behind all reads of them in the same run.
     */

    private final Graph graph;
    private final Servers servers;
    private final String device;
    private final List<Node> reads = new ArrayList<>();
    private final List<Node> kept = new ArrayList<>();

    Copies(Graph graph, Servers servers, String device) {
        this.graph = graph;
        this.servers = servers;
        this.device = device;
    }

    /** What sets copies. */
    List<Node> kept() {
        return kept;
    }

    Node add(Op op, List<Edge> inputs, List<Node> controls, String where) {
        String name = graph.unique("pulled/" + op.signature().name());
        return graph.add(new NodeSpec(name, op, inputs, controls, where, Map.of()));
    }

    /** The name of the copy of a variable, or of rows of it, that a server's node reads. */
    static String name(Edge read) {
        Node handle = read.node().input(0).node();
        return name(Families.name(handle), handle.device());
    }

    private static String name(String variable, String server) {
        return "copy of " + variable + " on " + server;
    }

    private Edge own(Edge read) {
        VarHandleOp op = new VarHandleOp(
                servers.own(), name(read), "", read.type().dtype(), read.type().shape(), List.of());
        return add(op, List.of(), List.of(), device).edge(0);
    }

    /** The copy of what a server's node reads. */
    Edge read(Edge e) {
        Node made = add(new ReadVariableOp(e.type().dtype()), List.of(own(e)), List.of(), device);
        reads.add(made);
        return made.edge(0);
    }

    /** Keeps a value as the copy of what a server's node reads. */
    void keep(Edge e, Edge value, List<Node> after) {
        kept.add(add(new AssignVariableOp(false), List.of(own(e), value), after, device));
    }

    /** The names that copies of variables have that the pushes of a run update. */
    Set<String> written(Collection<Node> nodes) {
        Set<String> all = new HashSet<>();
        for (Node n : nodes) {
            if (!isPush(n)) continue;
            Function update = servers.library().get(((GradientPush) n.op()).update());
            for (Node w : update.body().nodes())
                if (Updates.isWrite(w)) all.add(name(Families.name(w.input(0).node()), n.device()));
        }
        return all;
    }

    private static boolean isPush(Node n) {
        return n.op() instanceof GradientPush p && p.gate().equals(Servers.TRAINING);
    }

    /**
     * Brings back what the pushes of a run have changed of what it has read.
     *
     * @param read of the graph on pieces, as are {@code nodes}
     * @param edges what stands for each in the graph that is sent
     */
    void back(Collection<Node> nodes, Collection<Edge> read, Map<Edge, Edge> edges, Map<Node, Node> made) {
        Set<String> written = written(nodes);
        for (Node push : nodes) {
            if (!isPush(push)) continue;
            List<Edge> mine = read.stream()
                    .filter(e -> e.node().input(0).node().device().equals(push.device()) && written.contains(name(e)))
                    .sorted((a, b) -> Integer.compare(a.node().id(), b.node().id()))
                    .toList();
            if (mine.isEmpty()) continue;
            Node end = made.get(push);
            for (Node n : nodes)
                if (n.op() instanceof CommitPush && n.device().equals(push.device())) end = made.get(n);
            if (servers.isSynchronous()) {
                VersionWait op = new VersionWait(Servers.TRAINING, servers.container(), 1, 0);
                end = add(op, List.of(edges.get(push.input(1))), List.of(end), push.device());
            }
            List<Edge> now = new ArrayList<>();
            for (Edge e : mine) {
                ReadVariableOp op = new ReadVariableOp(e.type().dtype());
                List<Edge> handle = List.of(edges.get(e.node().input(0)));
                now.add(add(op, handle, List.of(end), push.device()).edge(0));
            }
            Node all = add(new IdentityN(), now, List.of(), device);
            for (int i = 0; i < mine.size(); i++) keep(mine.get(i), all.edge(i), reads);
        }
    }
}
