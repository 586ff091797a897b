package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Servers.Turn;
import dev.oxbow.parallel.ops.Assemble;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The graph that a worker sends to its cluster: all kinds of its runs side by side, every node with a device.
 *
 * @param device that of the worker
 * @param pullBytes variables are pulled together until they have this many bytes
 * @param ahead the names of variables that are pulled ahead of steps, none for all; null where nothing is
 */
record SentRuns(Graph graph, Servers servers, String device, long pullBytes, List<String> ahead) {

    /**
     * One kind of run.
     *
     * @param feeds by number, what stands for what the user feeds
     * @param hidden by number, what the session feeds by itself
     * @param pushed the servers that it brings gradients to
     * @param once the gate of what is done once for all workers; null for none
     * @param assembles whether it meets other workers
     * @param trains whether it computes gradients, which it pushes or keeps
     * @param copies the names of those that the worker has when it has ended, as the servers do
     * @param outdated the names of others that it makes old
     * @param pulls what it may be fed rather than pull it
     */
    record Sent(
            Map<Integer, Edge> feeds,
            Map<Integer, Edge> hidden,
            List<Edge> fetches,
            List<Node> targets,
            Set<Integer> pushed,
            String once,
            boolean assembles,
            boolean trains,
            Set<String> copies,
            Set<String> outdated,
            List<Ahead.Pull> pulls) {}

    /** Where workers tell each other how many rows they have. */
    record Round(Edge tag, Edge said, Edge heard) {}

    Round rows() {
        try (Graph.Scope _ = graph.device(servers.devices().getFirst())) {
            Ops ops = Ops.in(graph);
            Value tag = ops.placeholder("rows/tag", DType.I64, Shape.SCALAR);
            Value said = ops.placeholder("rows/said", DType.I64, Shape.of(1, -1));
            Assemble op = new Assemble(servers.pushes(), servers.workers(), 0, "rows", servers.container());
            List<Value> all = Value.applyAll(op, ops.constant(DType.I64, servers.worker()), tag, said);
            Edge heard = Combination.joined(
                    0,
                    all.stream().map(Value::edge).toList(),
                    (suffix, o, inputs, _) ->
                            graph.add(o, "rows" + suffix, inputs).edge(0));
            return new Round(tag.edge(), said.edge(), heard);
        }
    }

    /** Adds a run on pieces, of which the first {@code feeds} arguments are the user's. */
    Sent add(Subgraph s, int feeds, int results, Turn turn) {
        return new Sending(this, s, feeds, results, turn).add();
    }
}
