package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Graph;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The kinds of sessions that were found, by scheme. */
final class Sessions {
    private static final List<SessionProvider> ALL = new ArrayList<>();

    static {
        ServiceLoader.load(SessionProvider.class, Sessions.class.getClassLoader())
                .forEach(ALL::add);
    }

    private Sessions() {}

    static Session open(String target, Graph graph, Engine engine, boolean ownsEngine, SessionOptions options) {
        return of(target).open(new SessionProvider.Request(target, graph, engine, ownsEngine, options));
    }

    private static SessionProvider of(String target) {
        int colon = target.indexOf(':');
        String scheme = colon < 0 ? target : target.substring(0, colon);
        for (SessionProvider p : ALL) if (p.scheme().equals(scheme)) return p;
        throw new OxbowException(
                INVALID_ARGUMENT,
                "Session: nothing opens '%s'; the schemes are %s"
                        .formatted(
                                target,
                                ALL.stream().map(SessionProvider::scheme).toList()));
    }
}
