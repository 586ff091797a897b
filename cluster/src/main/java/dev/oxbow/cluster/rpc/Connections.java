package dev.oxbow.cluster.rpc;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import java.util.function.Consumer;

/** Gives each connection that comes in an identity, and tells when it has gone. */
final class Connections extends ServerTransportFilter {
    static final Attributes.Key<Connection> ID = Attributes.Key.create("connection");

    private final Consumer<Connection> gone;

    Connections(Consumer<Connection> gone) {
        this.gone = gone;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(ID, new Connection()).build();
    }

    @Override
    public void transportTerminated(Attributes attributes) {
        Connection c = attributes == null ? null : attributes.get(ID);
        if (c == null) return;
        c.end();
        gone.accept(c);
    }
}
