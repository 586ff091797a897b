package dev.oxbow.cluster.master;

import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.cluster.rpc.Connection;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.RunOptions.TraceLevel;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A master for a client in the same process, without messages. */
public final class MasterCalls {
    private final Master master;
    private final Connection connection = new Connection();

    public MasterCalls(Master master) {
        this.master = master;
    }

    /** Opens a session, and gives its handle. */
    public void open(GraphDef graph, ConfigProto config, Cancellation caller, BiConsumer<String, OxbowException> then) {
        master.create(
                graph,
                config,
                connection,
                caller,
                (session, error) -> then.accept(session == null ? null : session.handle(), error));
    }

    /** Runs a step; what is fed is borrowed until {@code then}, and what was fetched is its own. */
    public void run(
            String handle,
            List<String> feeds,
            List<Tensor> values,
            List<String> fetches,
            List<String> targets,
            Cancellation caller,
            BiConsumer<Tensor[], OxbowException> then) {
        try {
            master.session(handle, connection)
                    .run(
                            new Key(feeds, fetches, targets, false),
                            values,
                            0,
                            TraceLevel.NO_TRACE,
                            caller,
                            (result, error) -> then.accept(result == null ? null : result.fetched(), error));
        } catch (RuntimeException e) {
            then.accept(null, Statuses.of(e));
        }
    }

    public void close(String handle, Consumer<OxbowException> then) {
        try {
            master.close(handle, connection, then);
        } catch (OxbowException e) {
            then.accept(e);
        }
    }
}
