package dev.oxbow.testing;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.EngineOptions;
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
import java.util.function.Supplier;

/** Runs conformance cases in our own sessions, each on devices and containers of its own. */
public final class SessionEngine implements Engine {
    private final Supplier<dev.oxbow.runtime.Engine> engines;
    private final SessionOptions options;

    /** Sessions on one device and one thread. */
    public SessionEngine() {
        this(() -> new dev.oxbow.runtime.Engine(EngineOptions.defaults().withThreads(1)), SessionOptions.defaults());
    }

    /** Sessions of one kind. */
    public SessionEngine(Setting setting) {
        this(setting::engine, setting.options());
    }

    /** Sessions on engines that {@code engines} makes, one for each case. */
    private SessionEngine(Supplier<dev.oxbow.runtime.Engine> engines, SessionOptions options) {
        this.engines = engines;
        this.options = options;
    }

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
        dev.oxbow.runtime.Engine engine = engines.get();
        Session session = Session.open(graph, engine, options);
        return new Program() {
            @Override
            public List<Tensor> run(
                    Map<String, Tensor> feeds, List<String> fetches, List<String> targets, Duration deadline) {
                return session.run(feeds, fetches, targets, RunOptions.timeout(deadline));
            }

            @Override
            public void close() {
                session.close();
                engine.close();
            }
        };
    }
}
