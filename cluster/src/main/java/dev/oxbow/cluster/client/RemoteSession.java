package dev.oxbow.cluster.client;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.MessageLite;
import dev.oxbow.cluster.rpc.Cargo;
import dev.oxbow.cluster.rpc.Method;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Received;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.Clock;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CloseSessionRequest;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.CreateSessionRequest;
import dev.oxbow.wire.proto.CreateSessionResponse;
import dev.oxbow.wire.proto.ExtendSessionRequest;
import dev.oxbow.wire.proto.GetStatusRequest;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.PartialRunSetupRequest;
import dev.oxbow.wire.proto.RunOptions.TraceLevel;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.RunStepResponse;
import dev.oxbow.wire.proto.StepStats;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.trace.Span;
import dev.oxbow.wire.trace.Spans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session whose master is another process, ours or TensorFlow's. */
final class RemoteSession implements Session {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteSession.class);

    /** What the way there and back may take, beyond the deadline of a step, which its master keeps. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final Duration GOODBYE = Duration.ofSeconds(10);

    private final Graph graph;
    private final Peer master;
    private final SessionOptions options;
    private final SentGraph sent;
    private String handle;
    private long version;
    private volatile boolean closed;
    /** Of the steps that wait for their answer. */
    private final Set<Cancellation> running = ConcurrentHashMap.newKeySet();

    RemoteSession(Graph graph, Peer master, SessionOptions options) {
        this.graph = graph;
        this.master = master;
        this.options = options;
        this.sent = new SentGraph(graph);
        create();
    }

    private void create() {
        ConfigProto config = options.service(ConfigProto.class);
        ConfigProto.Builder b = config == null ? ConfigProto.newBuilder() : config.toBuilder();
        if (options.softPlacement()) b.setAllowSoftPlacement(true);
        if (options.lateReceives()) b.getGraphOptionsBuilder().setEnableRecvScheduling(true);
        if (options.measuredSteps() > 0) b.getGraphOptionsBuilder().setBuildCostModel(options.measuredSteps());
        options.tasks().forEach(b::addDeviceFilters);
        if (options.timeout() != null)
            b.setOperationTimeoutInMs(options.timeout().toMillis());
        CreateSessionResponse r = call(
                Methods.CREATE_SESSION,
                CreateSessionRequest.newBuilder()
                        .setGraphDef(sent.all())
                        .setConfig(b)
                        .setTarget("grpc://" + master.address())
                        .build(),
                limit(options.timeout()),
                null);
        handle = r.getSessionHandle();
        version = r.getGraphVersion();
    }

    private static Duration limit(Duration timeout) {
        return timeout == null ? null : timeout.plus(GRACE);
    }

    private <Q extends MessageLite, A extends MessageLite> A call(
            Method<Q, A> method, Q request, Duration limit, Cancellation given) {
        try (Answer<A> answer = new Answer<>(given)) {
            master.call(method, request, answer.cancellation(), null, answer);
            return await(answer, limit);
        }
    }

    /** Waits for an answer as long as the master lives. */
    private <A> A await(Answer<A> answer, Duration limit) {
        return answer.await(
                limit,
                new MasterWatch(answer.cancellation()),
                options.lostAfter().toNanos() / Health.LOOKS);
    }

    /** Looks after the master during a wait, from the first look on. */
    private final class MasterWatch implements Runnable {
        private final Cancellation wait;
        private Health health;

        MasterWatch(Cancellation wait) {
            this.wait = wait;
        }

        @Override
        public void run() {
            if (health == null) {
                health = new Health(System::nanoTime, options.lostAfter());
                health.watch("the master at " + master.address(), 0, RemoteSession.this::status, wait::cancel);
            }
            health.look();
        }
    }

    private void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then) {
        master.call(
                Methods.GET_STATUS,
                GetStatusRequest.getDefaultInstance(),
                null,
                deadline,
                (answer, error) -> then.accept(answer == null ? null : List.of(), error));
    }

    /** Sends what was added to the graph since the last run, and gives the handle of the session. */
    private synchronized String synced() {
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
        if (!sent.isBehind()) return handle;
        if (sent.isWidened()) { // a call that the master knows has other outputs now: only a new session can have it
            closeHandle();
            create();
            return handle;
        }
        version = call(
                        Methods.EXTEND_SESSION,
                        ExtendSessionRequest.newBuilder()
                                .setSessionHandle(handle)
                                .setCurrentGraphVersion(version)
                                .setGraphDef(sent.news())
                                .build(),
                        limit(options.timeout()),
                        null)
                .getNewGraphVersion();
        sent.arrived();
        return handle;
    }

    @Override
    public Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions run) {
        if (fetches.isEmpty() && targets.isEmpty()) { // a master refuses it
            synced();
            return new Results(List.of());
        }
        RunStepRequest.Builder request = RunStepRequest.newBuilder();
        Cargo cargo = cargo();
        for (int i = 0; i < feeds.size(); i++)
            request.addFeed(named(feeds.get(i).name(), values.get(i), cargo));
        for (Edge f : fetches) request.addFetch(f.name());
        for (Node t : targets) request.addTarget(t.name());
        Duration timeout = run.timeout() != null ? run.timeout() : options.timeout();
        return step(
                request, cargo, fetches.stream().map(Edge::name).toList(), timeout, run.cancellation(), run.tracer());
    }

    /** For the tensors of the next step. */
    Cargo cargo() {
        return master.cargo();
    }

    static NamedTensorProto named(String name, Tensor value, Cargo cargo) {
        require(!value.isClosed(), FAILED_PRECONDITION, "feed %s: the tensor was closed", name);
        return NamedTensorProto.newBuilder()
                .setName(name)
                .setTensor(cargo.encode(value))
                .build();
    }

    /** Runs one step, or a part of one. */
    Results step(
            RunStepRequest.Builder request,
            Cargo cargo,
            List<String> fetches,
            Duration timeout,
            Cancellation given,
            Tracer tracer) {
        request.setSessionHandle(synced())
                .setStoreErrorsInResponseBody(true)
                .setRequestId(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
        if (timeout != null) request.getOptionsBuilder().setTimeoutInMs(Math.max(1, timeout.toMillis()));
        if (tracer != null) request.getOptionsBuilder().setTraceLevel(TraceLevel.SOFTWARE_TRACE);
        Answer<List<Tensor>> answer = new Answer<>(given);
        running.add(answer.cancellation()); // before anybody can see that the step runs, and close the session
        try {
            if (closed) closed(answer.cancellation());
            master.callTensors(
                    Methods.RUN_STEP, request.build(), cargo, answer.cancellation(), null, (received, error) -> {
                        if (error != null) answer.accept(null, error);
                        else fetched(received, fetches, tracer, answer);
                    });
            return new Results(
                    await(answer, limit(timeout)).stream().map(Tensor::guarded).toList());
        } catch (OxbowException e) {
            // a session that was closed meanwhile is unknown there, or its connection has gone
            if (closed && (e.code() == ABORTED || e.code() == UNAVAILABLE)) throw gone(e);
            throw e;
        } finally {
            answer.close();
            running.remove(answer.cancellation());
        }
    }

    private static void closed(Cancellation step) {
        step.cancel(gone(null));
    }

    private static OxbowException gone(OxbowException cause) {
        return new OxbowException(CANCELLED, "Session: it was closed", cause);
    }

    /** Tells what tasks did; nodes are those of the graph here, so others than a trace miss what a master has added. */
    private void tell(StepStats stats, Tracer tracer) {
        if (tracer instanceof StepTrace all) {
            all.add(stats);
            return;
        }
        long here = Clock.of(0);
        for (Span s : Spans.of(stats)) {
            List<Node> nodes =
                    s.nodes().stream().filter(graph::has).map(graph::node).toList();
            if (!nodes.isEmpty()) tracer.done(s.device(), nodes, s.ready() - here, s.from() - here, s.to() - here);
        }
    }

    /** Hands over what was fetched; whatever fails here, a tracer of the user's among it, somebody waits for the end. */
    private void fetched(
            Received<RunStepResponse> received, List<String> fetches, Tracer tracer, Answer<List<Tensor>> to) {
        RunStepResponse r = received.message();
        List<Tensor> all = new ArrayList<>();
        try {
            if (tracer != null) tell(r.getMetadata().getStepStats(), tracer);
            if (r.getStatusCode() != 0)
                throw Statuses.error(r.getStatusCode(), r.getStatusErrorMessage(), r.getErrorPlace());
            for (int i = 0; i < fetches.size(); i++) all.add(received.tensor(find(r, i, fetches.get(i))));
        } catch (RuntimeException | OutOfMemoryError e) {
            all.forEach(Tensor::release);
            to.accept(null, Statuses.of(e));
            return;
        }
        to.accept(all, null);
    }

    /** The value of a fetch: it may stand at another place, and may be asked for twice. */
    private static TensorProto find(RunStepResponse r, int place, String name) {
        if (place < r.getTensorCount() && r.getTensor(place).getName().equals(name))
            return r.getTensor(place).getTensor();
        for (NamedTensorProto t : r.getTensorList()) if (t.getName().equals(name)) return t.getTensor();
        throw new OxbowException(INTERNAL, "RunStep: the answer has no value for '%s'".formatted(name));
    }

    @Override
    public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
        List<String> fed = feeds.stream().map(f -> graph.edge(f).name()).toList();
        List<String> fetched = fetches.stream().map(f -> graph.edge(f).name()).toList();
        String partial = call(
                        Methods.PARTIAL_RUN_SETUP,
                        PartialRunSetupRequest.newBuilder()
                                .setSessionHandle(synced())
                                .addAllFeed(fed)
                                .addAllFetch(fetched)
                                .addAllTarget(targets.stream()
                                        .map(t -> graph.target(t).name())
                                        .toList())
                                .build(),
                        limit(options.timeout()),
                        null)
                .getPartialRunHandle();
        return new RemotePartialRun(this, partial, options.timeout());
    }

    @Override
    public String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose) {
        return call(
                        Methods.EXPLAIN,
                        PartialRunSetupRequest.newBuilder()
                                .setSessionHandle(synced())
                                .addAllFeed(feeds.stream().map(Edge::name).toList())
                                .addAllFetch(fetches.stream().map(Edge::name).toList())
                                .addAllTarget(targets.stream().map(Node::name).toList())
                                .build(),
                        limit(options.timeout()),
                        null)
                .getValue();
    }

    @Override
    public Graph graph() {
        return graph;
    }

    private void closeHandle() {
        call(
                Methods.CLOSE_SESSION,
                CloseSessionRequest.newBuilder().setSessionHandle(handle).build(),
                GOODBYE,
                null);
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        try {
            closeHandle();
        } catch (OxbowException e) {
            LOG.debug("session {} of {}: {}", handle, master.address(), e.getMessage());
        } finally {
            running.forEach(RemoteSession::closed);
            master.close();
        }
    }
}
