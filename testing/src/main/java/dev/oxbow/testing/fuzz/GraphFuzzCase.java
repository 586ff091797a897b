package dev.oxbow.testing.fuzz;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Takes the bytes of one graph through import, explanation and runs. */
final class GraphFuzzCase {
    private static final long MEMORY = 64L << 20;
    private static final int MOST_SINKS = 4;
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofSeconds(10);

    private GraphFuzzCase() {}

    /** What was thrown that is no answer to a bad graph, or null. */
    static Throwable failure(byte[] graph) {
        long started = System.nanoTime();
        Throwable failure = null;
        try {
            run(graph);
        } catch (Throwable e) { // whatever it is, it is what this looks for
            if (!(e instanceof OxbowException o) || !isExpected(o)) failure = e;
        }
        long taken = System.nanoTime() - started;
        if (failure == null && taken > SLOW.toNanos())
            failure = new IllegalStateException("took " + taken / 1_000_000_000 + " s");
        return failure;
    }

    private static boolean isExpected(OxbowException e) {
        if (e.code() == ErrorCode.INTERNAL) return false;
        for (Throwable c = e; c != null; c = c.getCause()) if (c instanceof Error) return false;
        return true;
    }

    private static void run(byte[] bytes) {
        Graph g = GraphImporter.read(bytes);
        List<Node> sinks = g.sinks();
        // each by itself, since one that fails inference would hide the others
        OxbowException first = null;
        for (Node n : sinks.subList(0, Math.min(MOST_SINKS, sinks.size()))) {
            List<Edge> fetches = new ArrayList<>();
            for (int i = 0; i < Math.min(8, n.outputCount()); i++) fetches.add(n.edge(i));
            try {
                EngineOptions options = EngineOptions.defaults().withThreads(1).withMemoryBudget(MEMORY);
                explain(g, n, fetches, options, false);
                explain(g, n, fetches, EngineOptions.defaults().withThreads(1), true);
                run(g, n, fetches, options);
            } catch (OxbowException e) {
                if (!isExpected(e)) throw e;
                first = e;
            }
        }
        if (first != null) throw first;
    }

    private static void explain(Graph g, Node n, List<Edge> fetches, EngineOptions options, boolean verbose) {
        try (Session s = Session.open(g, options)) {
            s.explain(List.of(), fetches, List.of(n), verbose);
        }
    }

    private static void run(Graph g, Node n, List<Edge> fetches, EngineOptions options) {
        try (Session s = Session.open(g, options)) {
            for (int k = 0; k < 2; k++) { // the second time by its plan
                Session.Run run =
                        s.target(n).fetch(fetches.toArray(Edge[]::new)).options(RunOptions.timeout(DEADLINE));
                List<Tensor> fed = new ArrayList<>();
                for (Node p : g.nodes()) {
                    Tensor t = p.op() instanceof Placeholder ? zeros(p) : null;
                    if (t == null) continue;
                    fed.add(t);
                    run.feed(p.edge(0), t);
                }
                try {
                    run.run().forEach(Tensor::close);
                } finally {
                    fed.forEach(Tensor::close);
                }
            }
        }
    }

    /** Something to feed: unknown dimensions are 2; null where that would be large, or has no zeros. */
    private static Tensor zeros(Node placeholder) {
        DType dtype = placeholder.output(0).dtype();
        Shape shape = placeholder.output(0).shape();
        if (dtype == DType.RESOURCE || dtype == DType.VARIANT) return null;
        long[] dims = shape.isRankKnown() ? shape.dims() : new long[] {2};
        double size = 1;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] < 0) dims[i] = 2;
            size *= dims[i];
        }
        return size > 1 << 20 ? null : Tensor.zeros(dtype, Shape.of(dims));
    }
}
