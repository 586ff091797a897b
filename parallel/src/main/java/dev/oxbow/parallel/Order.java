package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.parallel.Buckets.Bucket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** An order of nodes and exchanges in which each stands after what it waits for; near that of the nodes. */
final class Order {
    private final List<Node> nodes;
    private final Buckets buckets;
    private final Map<Edge, List<Node>> readers = new HashMap<>();
    private final boolean[] leads;

    Order(Subgraph s, Buckets buckets) {
        this.nodes = s.graph().nodes();
        this.buckets = buckets;
        this.leads = new boolean[nodes.size()];
        for (Node n : nodes)
            for (Edge e : n.inputs())
                readers.computeIfAbsent(e, _ -> new ArrayList<>()).add(n);
        for (Node n : nodes.reversed()) {
            for (int p = 0; p < n.outputCount(); p++) {
                leads[n.id()] |= buckets.of(n.edge(p)) != null;
                for (Node r : readers(n.edge(p))) leads[n.id()] |= leads[r.id()];
            }
            for (Node c : n.controls()) leads[c.id()] |= leads[n.id()];
        }
    }

    List<Node> readers(Edge e) {
        return readers.getOrDefault(e, List.of());
    }

    /** The exchanges that a node waits for so that a step whose exchange fails changes nothing. */
    List<Bucket> bucketsBefore(Node n) {
        if (!isUpdate(n)) return List.of();
        List<Bucket> free = free();
        if (free.size() == 1) for (Edge e : n.inputs()) if (buckets.of(e) == free.getFirst()) return List.of();
        return free;
    }

    /** Whether a node changes what is behind a handle, and no exchange depends on that. */
    boolean isUpdate(Node n) {
        if (n.op().effects() != Effects.WRITES || n.op().waits() || leads[n.id()]) return false;
        return n.inputCount() > 0 && n.input(0).type().isHandle() && !buckets.isInside(n);
    }

    /** The exchanges of a step that are in no loop or branch. */
    List<Bucket> free() {
        return buckets.all().stream().filter(b -> !b.alone()).toList();
    }

    /** All nodes and buckets. */
    List<Object> nodesAndBuckets() {
        int size = nodes.size(), all = size + buckets.all().size();
        List<List<Integer>> next = new ArrayList<>();
        for (int i = 0; i < all; i++) next.add(new ArrayList<>());
        int[] waits = new int[all];
        for (Node n : nodes) {
            for (Edge e : n.inputs()) {
                if (e.node().id() >= n.id()) continue;
                Bucket b = buckets.of(e);
                follow(next, waits, e.node().id(), n.id());
                if (b != null) follow(next, waits, size + b.number(), n.id());
            }
            for (Node c : n.controls()) follow(next, waits, c.id(), n.id());
            for (Bucket b : bucketsBefore(n)) follow(next, waits, size + b.number(), n.id());
        }
        for (Bucket b : buckets.all())
            for (Edge e : b.members()) follow(next, waits, e.node().id(), size + b.number());
        int[] rank = new int[all];
        for (int i = 0; i < size; i++) rank[i] = i;
        for (Bucket b : buckets.all()) rank[size + b.number()] = b.last();
        PriorityQueue<Integer> ready =
                new PriorityQueue<>((a, b) -> rank[a] != rank[b] ? Integer.compare(rank[a], rank[b]) : a - b);
        for (int i = 0; i < all; i++) if (waits[i] == 0) ready.add(i);
        List<Object> order = new ArrayList<>();
        while (!ready.isEmpty()) {
            int i = ready.poll();
            order.add(i < size ? nodes.get(i) : buckets.all().get(i - size));
            for (int j : next.get(i)) if (--waits[j] == 0) ready.add(j);
        }
        return order;
    }

    private static void follow(List<List<Integer>> next, int[] waits, int before, int after) {
        next.get(before).add(after);
        waits[after]++;
    }
}
