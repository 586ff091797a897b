package dev.oxbow.benchmarks;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A graph from a file in Oxbow, see {@link GraphTask}. */
final class OxbowGraph implements Model {
    private final Session session;
    private final Map<Edge, Tensor> feeds = new LinkedHashMap<>();
    private final Edge loss;
    private final Node step;
    private double last;

    OxbowGraph(Path folder, EngineOptions options) throws IOException {
        Graph graph = GraphImporter.read(GraphParser.read(folder.resolve(GraphTask.GRAPH)));
        loss = graph.node(GraphTask.LOSS).edge(0);
        step = graph.node(GraphTask.STEP);
        for (Path array : GraphTask.arrays(folder))
            feeds.put(graph.node(GraphTask.placeholder(array)).edge(0), Npy.read(array));
        session = Session.open(graph, options);
        String initialiser =
                Files.readString(folder.resolve(GraphTask.INITIALISER)).strip();
        session.target(graph.node(initialiser)).run();
    }

    @Override
    public void step() {
        Session.Run run = session.target(step).fetch(loss);
        feeds.forEach(run::feed);
        try (Tensor t = run.run().get(0)) {
            last = t.getDouble(0);
        }
    }

    @Override
    public double[] check() {
        return Model.losses(GraphTask.CHECKED, this, () -> last);
    }

    @Override
    public void close() {
        session.close();
        feeds.values().forEach(Tensor::close);
    }
}
