package dev.oxbow.runtime.run;

import dev.oxbow.graph.Graph;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.SessionProvider;

/** Sessions in this process. */
public final class LocalSessions implements SessionProvider {
    @Override
    public String scheme() {
        return "local";
    }

    @Override
    public Session open(String target, Graph graph, Engine engine, SessionOptions options) {
        return engine == null
                ? new LocalSession(graph, new Engine(options), true)
                : new LocalSession(graph, engine, false);
    }
}
