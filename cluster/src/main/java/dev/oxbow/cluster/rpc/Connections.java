package dev.oxbow.cluster.rpc;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import java.util.function.Consumer;

/** Gives each connection that comes in an identity, and tells when it has gone. */
final class Connections extends ServerTransportFilter {
    static final Attributes.Key<Object> ID = Attributes.Key.create("connection");

    private final Consumer<Object> gone;

    Connections(Consumer<Object> gone) {
        this.gone = gone;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(ID, new Object()).build();
    }

    @Override
    public void transportTerminated(Attributes attributes) {
        if (attributes != null && attributes.get(ID) != null) gone.accept(attributes.get(ID));
    }
}
