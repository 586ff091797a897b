package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.ops.flow.IdentityN;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What a kind of run that trains can be given of the servers' variables, rather than pull it: values that were pulled ahead. */
final class Ahead {

    /**
     * A value in the worker's task.
     *
     * @param name the same in all kinds of runs
     * @param servers that it comes from
     * @param feeds of the user's that it depends on, by number
     */
    record Pull(String name, Edge value, Set<Integer> servers, Set<Integer> feeds) {}

    private final Copies graph;
    private final Servers servers;
    private final String device;
    /** The names of variables, none for all; null where nothing is pulled ahead. */
    private final List<String> variables;

    private final List<Pull> pulls = new ArrayList<>();

    Ahead(Copies graph, Servers servers, String device, List<String> variables) {
        this.graph = graph;
        this.servers = servers;
        this.device = device;
        this.variables = variables;
    }

    List<Pull> pulls() {
        return pulls;
    }

    private boolean has(Edge read) {
        String name = Families.name(read.node().input(0).node());
        return variables != null && (variables.isEmpty() || variables.contains(name));
    }

    private int server(Edge read) {
        return servers.devices().indexOf(read.node().input(0).node().device());
    }

    /** The same reads in groups of which one is pulled as a whole, ahead or not. */
    List<List<Edge>> apart(List<List<Edge>> groups) {
        List<List<Edge>> all = new ArrayList<>();
        for (List<Edge> group : groups) {
            all.add(group.stream().filter(e -> !has(e)).toList());
            all.add(group.stream().filter(this::has).toList());
        }
        all.removeIf(List::isEmpty);
        return all;
    }

    /** Notes where the value of a read comes to the worker. */
    void pulled(Edge read, Edge value) {
        if (has(read)) pulls.add(new Pull(Copies.name(read), value, Set.of(server(read)), Set.of()));
    }

    /**
     * Where rows come to the worker, if they can be known before the step: by what is fed alone.
     *
     * @param n takes rows of what {@code reads} make up
     * @param taken the rows, at the server
     * @param feeds how many arguments are the user's
     */
    Edge rows(Node n, List<Edge> reads, Edge taken, int feeds) {
        if (!reads.stream().allMatch(this::has)) return taken;
        Set<Integer> from = feeds(n.input(1), feeds);
        if (from == null) return taken;
        Edge here =
                graph.add(new IdentityN(), List.of(taken), List.of(), device).edge(0);
        Set<Integer> at = new TreeSet<>();
        for (Edge r : reads) at.add(server(r));
        pulls.add(new Pull("rows by " + n.name(), here, at, from));
        return here;
    }

    /** The numbers of the feeds that a value follows from; null where it follows from anything else. */
    private static Set<Integer> feeds(Edge e, int count) {
        Set<Integer> found = new TreeSet<>();
        Set<Node> seen = new HashSet<>();
        Deque<Node> left = new ArrayDeque<>(List.of(e.node()));
        while (!left.isEmpty()) {
            Node n = left.pop();
            if (!seen.add(n)) continue;
            if (n.op() instanceof Arg a) {
                if (a.index() >= count) return null;
                found.add(a.index());
                continue;
            }
            if (n.op().effects() != Effects.NONE || n.op().waits()) return null;
            for (Edge in : n.inputs()) {
                if (in == null || in.node().id() >= n.id()) return null; // a loop
                left.push(in.node());
            }
        }
        return found;
    }
}
