package dev.oxbow.runtime.run;

import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionProvider;

/** Sessions in this process. */
public final class LocalSessions implements SessionProvider {
    @Override
    public String scheme() {
        return "local";
    }

    @Override
    public Session open(Request r) {
        if (r.engine() != null) return new LocalSession(r.graph(), r.engine(), r.ownsEngine(), r.options());
        return new LocalSession(r.graph(), new Engine(EngineOptions.defaults()), true, r.options());
    }
}
