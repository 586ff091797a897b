package dev.oxbow.runtime;

import dev.oxbow.graph.Graph;

/** Opens sessions of one kind; found by ServiceLoader in any module or jar. */
public interface SessionProvider {

    /** The scheme of the targets that it opens, such as {@code grpc}. */
    String scheme();

    Session open(Request request);

    /**
     * What is asked for.
     *
     * @param engine the devices of this process to run on; null for those that the target stands for
     * @param ownsEngine whether the engine ends with the session
     */
    record Request(String target, Graph graph, Engine engine, boolean ownsEngine, SessionOptions options) {}
}
