package dev.oxbow.testing;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.GraphImporter;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.conformance.Engine;
import dev.oxbow.wire.GraphParser;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs conformance cases in our own sessions, each on devices and containers of its own. */
public final class SessionEngine implements Engine {
    @Override
    public String name() {
        return "session";
    }

    @Override
    public Set<String> missingOps(byte[] graphDef) {
        return GraphImporter.missingOps(GraphParser.parse(graphDef)).keySet();
    }

    @Override
    public Program open(byte[] graphDef) {
        Graph graph = GraphImporter.read(graphDef);
        Session session = Session.open(graph, SessionOptions.defaults().withThreads(1));
        return new Program() {
            @Override
            public List<Tensor> run(
                    Map<String, Tensor> feeds, List<String> fetches, List<String> targets, Duration deadline) {
                return session.run(feeds, fetches, targets, RunOptions.timeout(deadline));
            }

            @Override
            public void close() {
                session.close();
            }
        };
    }
}
