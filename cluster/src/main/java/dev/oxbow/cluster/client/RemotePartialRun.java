package dev.oxbow.cluster.client;

import dev.oxbow.cluster.rpc.Cargo;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.RunStepRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A partial run of a remote session. */
final class RemotePartialRun implements PartialRun {
    private final RemoteSession session;
    private final String handle;
    private final Duration timeout;
    private final Cancellation cancellation = new Cancellation();

    RemotePartialRun(RemoteSession session, String handle, Duration timeout) {
        this.session = session;
        this.handle = handle;
        this.timeout = timeout;
    }

    @Override
    public List<Tensor> run(Map<String, Tensor> values, List<String> names, Duration limit) {
        RunStepRequest.Builder request = RunStepRequest.newBuilder().setPartialRunHandle(handle);
        Cargo cargo = session.cargo();
        values.forEach((name, value) ->
                request.addFeed(RemoteSession.named(session.graph().edge(name).name(), value, cargo)));
        List<String> fetches =
                names.stream().map(n -> session.graph().edge(n).name()).toList();
        return session.step(
                request.addAllFetch(fetches), cargo, fetches, limit != null ? limit : timeout, cancellation, null);
    }

    /** Ends a call that is under way; a step that nobody goes on with ends with its session. */
    @Override
    public void close() {
        cancellation.cancel(ErrorCode.CANCELLED, "partial run: it was closed");
    }
}
