package dev.oxbow.cluster.worker;

import com.google.protobuf.Empty;
import com.google.protobuf.MessageLite;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.link.Links;
import dev.oxbow.cluster.link.Way;
import dev.oxbow.cluster.rpc.Cargo;
import dev.oxbow.cluster.rpc.Loops;
import dev.oxbow.cluster.rpc.Method;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Received;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.trace.Clock;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CleanupAllRequest;
import dev.oxbow.wire.proto.CleanupGraphRequest;
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteGroupResponse;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.CompleteInstanceResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.DeleteWorkerSessionRequest;
import dev.oxbow.wire.proto.DeregisterGraphRequest;
import dev.oxbow.wire.proto.ExecutorOpts;
import dev.oxbow.wire.proto.GetStatusRequest;
import dev.oxbow.wire.proto.MarkRecvFinishedRequest;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.RecvTensorRequest;
import dev.oxbow.wire.proto.RecvTensorResponse;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import dev.oxbow.wire.proto.RegisterGraphResponse;
import dev.oxbow.wire.proto.RunGraphRequest;
import dev.oxbow.wire.proto.RunGraphResponse;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker of another process, ours or TensorFlow's. */
public final class RemoteWorker implements Worker, AutoCloseable {
    /** What is said besides steps is answered soon, or not at all. */
    private static final Duration SOON = Duration.ofSeconds(60);

    private static final Duration FIND = Duration.ofSeconds(5);

    /** How often a task is asked for its time: the quickest answer says it best. */
    private static final int CLOCK_ASKED = 8;

    private static final Logger LOG = LoggerFactory.getLogger(RemoteWorker.class);

    /**
     * The end of a step is told with the next one, to a task of ours in the same request, to others in the same packet, or so much
     * later: longer than a client takes from an answer to its next request, and nothing beside the lease of a step that nobody ends.
     */
    private static final Duration MOMENT = Duration.ofMillis(5);

    private final TaskName task;
    private final Peer peer;
    private final Loops loops;
    private final Way way;
    private final ArrayDeque<Long> ended = new ArrayDeque<>();
    private boolean willTell;

    /** Whether the task takes steps that have ended with the next one, as ours do. */
    private volatile boolean takesEnded;

    /** {@code links} are those of this task, or null where values come by calls only. */
    public RemoteWorker(TaskName task, Peer peer, Loops loops, Links links) {
        this.task = task;
        this.peer = peer;
        this.loops = loops;
        this.way = links == null ? null : links.to(task.toString(), this::findLinks, this::call);
    }

    /** Asks where the links of the task are; one of TensorFlow's knows nothing of that. */
    private void findLinks(BiConsumer<Way.Place, OxbowException> then) {
        call(Methods.LINK_PLACE, Empty.getDefaultInstance(), null, FIND, (answer, error) -> {
            if (error != null) then.accept(null, error.code() == ErrorCode.UNIMPLEMENTED ? null : error);
            else loops.slow().execute(() -> place(answer.getValue(), then)); // it may look a name up
        });
    }

    /** Null where the task has no links. */
    private void place(String text, BiConsumer<Way.Place, OxbowException> then) {
        String[] words = text.split(" ");
        Way.Place place = null;
        OxbowException error = null;
        try {
            if (words.length == 2)
                place = new Way.Place(
                        new InetSocketAddress(peer.address().host(), Integer.parseInt(words[0])),
                        Long.parseUnsignedLong(words[1], 16));
        } catch (IllegalArgumentException e) {
            error = new OxbowException(ErrorCode.INTERNAL, "LinkPlace: '%s' is no place".formatted(text), e)
                    .in(task.toString());
        }
        then.accept(place, error);
    }

    @Override
    public TaskName task() {
        return task;
    }

    /** Calls, and says in errors which task it was. */
    private <Q extends MessageLite, A extends MessageLite> void call(
            Method<Q, A> method, Q request, Cancellation c, Duration deadline, BiConsumer<A, OxbowException> then) {
        peer.call(
                method,
                request,
                c,
                deadline,
                (answer, error) -> then.accept(answer, error == null ? null : error.in(task.toString())));
    }

    private <Q extends MessageLite, A extends MessageLite> void callTensors(
            Method<Q, A> method, Q request, Cargo cargo, Cancellation c, BiConsumer<Received<A>, OxbowException> then) {
        peer.callTensors(
                method,
                request,
                cargo,
                c,
                null,
                (answer, error) -> then.accept(answer, error == null ? null : error.in(task.toString())));
    }

    private <Q extends MessageLite, A extends MessageLite> void tell(
            Method<Q, A> method, Q request, Consumer<OxbowException> then) {
        call(method, request, null, SOON, (_, error) -> then.accept(error));
    }

    @Override
    public void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then) {
        peer.hurry();
        call(Methods.GET_STATUS, GetStatusRequest.getDefaultInstance(), null, deadline, (answer, error) -> {
            if (error != null && error.code() == ErrorCode.DEADLINE_EXCEEDED) peer.renew();
            then.accept(
                    error != null
                            ? null
                            : answer.getDeviceAttributesList().stream()
                                    .map(Devices::decode)
                                    .toList(),
                    error);
        });
    }

    @Override
    public void clock(BiConsumer<ClockReading, OxbowException> then) {
        clock(CLOCK_ASKED, null, then);
    }

    private void clock(int left, ClockReading best, BiConsumer<ClockReading, OxbowException> then) {
        if (left == 0) {
            then.accept(best, null);
            return;
        }
        long asked = Clock.now();
        call(Methods.CLOCK, Empty.getDefaultInstance(), null, FIND, (answer, error) -> {
            if (error == null)
                clock(
                        left - 1,
                        ClockReading.of(asked, Clock.now(), answer.getValue()).or(best),
                        then);
            else then.accept(best, error.code() == ErrorCode.UNIMPLEMENTED ? null : error);
        });
    }

    @Override
    public void createSession(CreateWorkerSessionRequest request, Duration deadline, Consumer<OxbowException> then) {
        call(Methods.CREATE_WORKER_SESSION, request, null, deadline, (_, error) -> then.accept(error));
    }

    @Override
    public void deleteSession(String session, Consumer<OxbowException> then) {
        tellEnded();
        tell(
                Methods.DELETE_WORKER_SESSION,
                DeleteWorkerSessionRequest.newBuilder()
                        .setSessionHandle(session)
                        .build(),
                then);
    }

    @Override
    public void register(
            RegisterGraphRequest request, Cancellation cancellation, BiConsumer<String, OxbowException> then) {
        call(
                Methods.REGISTER_GRAPH,
                request,
                cancellation,
                null,
                (RegisterGraphResponse answer, OxbowException error) ->
                        then.accept(answer == null ? null : answer.getGraphHandle(), error));
    }

    @Override
    public void deregister(String session, String graph, Consumer<OxbowException> then) {
        tell(
                Methods.DEREGISTER_GRAPH,
                DeregisterGraphRequest.newBuilder()
                        .setSessionHandle(session)
                        .setCreateWorkerSessionCalled(true)
                        .setGraphHandle(graph)
                        .build(),
                then);
    }

    @Override
    public void run(RunGraph r, Cancellation cancellation, BiConsumer<RunGraph.Result, OxbowException> then) {
        if (!takesEnded) tellEnded();
        RunGraphRequest.Builder request = RunGraphRequest.newBuilder()
                .setSessionHandle(r.session())
                .setCreateWorkerSessionCalled(true)
                .setGraphHandle(r.graph())
                .setStepId(r.step())
                .addAllRecvKey(r.fetchKeys())
                .setIsPartial(r.partial())
                .setIsLastPartialRun(r.last())
                .setStoreErrorsInResponseBody(true)
                .setRequestId(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
        if (r.traced())
            request.setExecOpts(
                    ExecutorOpts.newBuilder().setRecordTimeline(true).setRecordCosts(true));
        Cargo cargo = new Cargo();
        try {
            for (int i = 0; i < r.feeds().size(); i++)
                request.addSend(NamedTensorProto.newBuilder()
                        .setName(r.feedKeys().get(i))
                        .setTensor(cargo.encode(r.feeds().get(i))));
        } catch (OxbowException e) {
            then.accept(null, e);
            return;
        }
        List<Long> told = takesEnded ? taken() : List.of();
        request.addAllEndedStep(told);
        callTensors(Methods.RUN_GRAPH, request.build(), cargo, cancellation, (received, error) -> {
            RunGraphResponse answer = received == null ? null : received.message();
            if (error != null) told.forEach(this::cleanup); // it may never have heard of them
            else takesEnded = answer.getTakesEndedSteps();
            if (error != null) then.accept(null, error);
            else if (answer.getStatusCode() != 0)
                then.accept(
                        null,
                        Statuses.error(answer.getStatusCode(), answer.getStatusErrorMessage(), answer.getErrorPlace())
                                .in(task.toString()));
            else fetched(r, received, then);
        });
    }

    private void fetched(
            RunGraph r, Received<RunGraphResponse> received, BiConsumer<RunGraph.Result, OxbowException> then) {
        RunGraphResponse answer = received.message();
        List<Tensor> all = new ArrayList<>();
        OxbowException error = null;
        try {
            Map<String, NamedTensorProto> byKey = new HashMap<>();
            for (NamedTensorProto t : answer.getRecvList()) byKey.put(t.getName(), t);
            for (String key : r.fetchKeys()) {
                if (!byKey.containsKey(key))
                    throw new OxbowException(
                            ErrorCode.INTERNAL, "RunGraph: the answer has no value for '%s'".formatted(key));
                all.add(received.tensor(byKey.get(key).getTensor()));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            all.forEach(Tensor::release);
            error = Statuses.of(e).in(task.toString());
        }
        if (error != null) then.accept(null, error);
        else then.accept(new RunGraph.Result(all, answer.hasStepStats() ? answer.getStepStats() : null), null);
    }

    @Override
    public void cleanup(long step) {
        synchronized (ended) {
            ended.add(step);
            if (willTell) return;
            willTell = true;
        }
        loops.after(MOMENT, () -> {
            synchronized (ended) {
                willTell = false;
            }
            tellEnded();
        });
    }

    /** The steps that have ended since it was last told, for who tells it. */
    private List<Long> taken() {
        synchronized (ended) {
            List<Long> all = List.copyOf(ended);
            ended.clear();
            return all;
        }
    }

    /** Tells of the steps that have ended since it was last told. */
    private void tellEnded() {
        while (true) {
            Long step;
            synchronized (ended) {
                step = ended.poll();
            }
            if (step == null) return;
            tell(
                    Methods.CLEANUP_GRAPH,
                    CleanupGraphRequest.newBuilder().setStepId(step).build(),
                    this::note);
        }
    }

    /** For what nobody waits for. */
    private void note(OxbowException e) {
        if (e != null) LOG.debug("{}: {}", task, e.getMessage());
    }

    @Override
    public void cleanupAll(List<String> containers, Consumer<OxbowException> then) {
        tell(
                Methods.CLEANUP_ALL,
                CleanupAllRequest.newBuilder().addAllContainer(containers).build(),
                then);
    }

    @Override
    public void receive(long step, String key, Cancellation cancellation, Rendezvous.Receiver then) {
        if (way != null) way.receive(step, key, cancellation, then);
        else call(step, key, cancellation, then);
    }

    private void call(long step, String key, Cancellation cancellation, Rendezvous.Receiver then) {
        long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        RecvTensorRequest request = RecvTensorRequest.newBuilder()
                .setStepId(step)
                .setRendezvousKey(key)
                .setRequestId(id)
                .build();
        callTensors(Methods.RECV_TENSOR, request, null, cancellation, (answer, error) -> {
            if (error != null) then.accept(null, error);
            else received(answer, id, then);
        });
    }

    private void received(Received<RecvTensorResponse> received, long id, Rendezvous.Receiver then) {
        RecvTensorResponse answer = received.message();
        if (answer.getRequireAck())
            tell(
                    Methods.MARK_RECV_FINISHED,
                    MarkRecvFinishedRequest.newBuilder().setRequestId(id).build(),
                    this::note);
        Tensor value = null;
        try {
            if (!answer.getIsDead()) value = received.tensor(answer.getTensor());
        } catch (RuntimeException | OutOfMemoryError e) {
            then.accept(null, Statuses.of(e).in(task.toString()));
            return;
        }
        then.accept(value, null);
    }

    @Override
    public void completeGroup(
            CompleteGroupRequest request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<CompleteGroupResponse, OxbowException> then) {
        call(Methods.COMPLETE_GROUP, request, cancellation, deadline, then);
    }

    @Override
    public void completeInstance(
            CompleteInstanceRequest request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<CompleteInstanceResponse, OxbowException> then) {
        call(Methods.COMPLETE_INSTANCE, request, cancellation, deadline, then);
    }

    @Override
    public void close() {
        peer.close();
    }
}
