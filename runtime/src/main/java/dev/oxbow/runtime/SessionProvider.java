package dev.oxbow.runtime;

import dev.oxbow.graph.Graph;

/** Opens sessions of one kind; found by ServiceLoader in any module or jar. */
public interface SessionProvider {

    /** The scheme of the targets that it opens, such as {@code grpc}. */
    String scheme();

    /** A session at {@code target}; on the devices of {@code engine}, or where that is null on those that the target stands for. */
    Session open(String target, Graph graph, Engine engine, SessionOptions options);
}
