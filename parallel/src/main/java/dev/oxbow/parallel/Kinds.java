package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Servers.Turn;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The kinds of runs of a worker's session, each spread and added to the graph that is sent when it first comes. */
final class Kinds {

    private record Key(List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets, Object rewrite) {}

    private final Graph graph;
    private final SentRuns sent;
    private final SessionOptions options;
    private final Map<Key, SentRuns.Sent> runs = new HashMap<>();

    /** Of a graph of the user's. */
    Kinds(Graph graph, SentRuns sent, SessionOptions options) {
        this.graph = graph;
        this.sent = sent;
        this.options = options;
    }

    SentRuns.Sent of(List<Edge> feeds, List<Edge> fetches, List<Node> targets, RunRewrite.Made made, Turn turn) {
        Spread spread = ((Spread) made.rewrite()).with(turn);
        Key key = new Key(List.copyOf(feeds), made.shapes(), List.copyOf(fetches), List.copyOf(targets), spread);
        SentRuns.Sent known = runs.get(key);
        if (known != null) return known;
        sent.servers().learn(graph.functions());
        Subgraph cut = Cut.run(graph, feeds, made.shapes(), fetches, targets);
        Subgraph pieces = spread.run(new Inline().run(cut, options::service), options::service);
        SentRuns.Sent[] now = new SentRuns.Sent[1];
        Runnable adding = () -> now[0] = sent.add(pieces, feeds.size(), fetches.size(), turn);
        sent.graph().atomically(adding); // a pull may be sending what is new
        if (now[0].trains() && sent.ahead() != null) check();
        runs.put(key, now[0]);
        return now[0];
    }

    private void check() {
        Set<String> known = new TreeSet<>();
        for (Node n : graph.nodes()) if (n.op() instanceof VarHandleOp) known.add(Families.name(n));
        for (String name : sent.ahead())
            require(
                    known.contains(name),
                    INVALID_ARGUMENT,
                    "Plan: prefetch names variable '%s', and the graph has only %s",
                    name,
                    known);
    }
}
