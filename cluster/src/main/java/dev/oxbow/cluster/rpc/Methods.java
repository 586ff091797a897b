package dev.oxbow.cluster.rpc;

import com.google.protobuf.Empty;
import com.google.protobuf.Int64Value;
import com.google.protobuf.Internal;
import com.google.protobuf.MessageLite;
import com.google.protobuf.StringValue;
import dev.oxbow.wire.proto.CleanupAllRequest;
import dev.oxbow.wire.proto.CleanupAllResponse;
import dev.oxbow.wire.proto.CleanupGraphRequest;
import dev.oxbow.wire.proto.CleanupGraphResponse;
import dev.oxbow.wire.proto.CloseSessionRequest;
import dev.oxbow.wire.proto.CloseSessionResponse;
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteGroupResponse;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.CompleteInstanceResponse;
import dev.oxbow.wire.proto.CreateSessionRequest;
import dev.oxbow.wire.proto.CreateSessionResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.CreateWorkerSessionResponse;
import dev.oxbow.wire.proto.DeleteWorkerSessionRequest;
import dev.oxbow.wire.proto.DeleteWorkerSessionResponse;
import dev.oxbow.wire.proto.DeregisterGraphRequest;
import dev.oxbow.wire.proto.DeregisterGraphResponse;
import dev.oxbow.wire.proto.ExtendSessionRequest;
import dev.oxbow.wire.proto.ExtendSessionResponse;
import dev.oxbow.wire.proto.GetStatusRequest;
import dev.oxbow.wire.proto.GetStatusResponse;
import dev.oxbow.wire.proto.ListDevicesRequest;
import dev.oxbow.wire.proto.ListDevicesResponse;
import dev.oxbow.wire.proto.LoggingRequest;
import dev.oxbow.wire.proto.LoggingResponse;
import dev.oxbow.wire.proto.MakeCallableRequest;
import dev.oxbow.wire.proto.MakeCallableResponse;
import dev.oxbow.wire.proto.MarkRecvFinishedRequest;
import dev.oxbow.wire.proto.MarkRecvFinishedResponse;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.PartialRunSetupRequest;
import dev.oxbow.wire.proto.PartialRunSetupResponse;
import dev.oxbow.wire.proto.RecvBufRequest;
import dev.oxbow.wire.proto.RecvBufResponse;
import dev.oxbow.wire.proto.RecvTensorRequest;
import dev.oxbow.wire.proto.RecvTensorResponse;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import dev.oxbow.wire.proto.RegisterGraphResponse;
import dev.oxbow.wire.proto.ReleaseCallableRequest;
import dev.oxbow.wire.proto.ReleaseCallableResponse;
import dev.oxbow.wire.proto.ResetRequest;
import dev.oxbow.wire.proto.ResetResponse;
import dev.oxbow.wire.proto.RunCallableRequest;
import dev.oxbow.wire.proto.RunCallableResponse;
import dev.oxbow.wire.proto.RunGraphRequest;
import dev.oxbow.wire.proto.RunGraphResponse;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.RunStepResponse;
import dev.oxbow.wire.proto.TaskStatus;
import dev.oxbow.wire.proto.TracingRequest;
import dev.oxbow.wire.proto.TracingResponse;

/** What clients ask masters for, masters workers, and workers each other. */
public final class Methods {
    public static final String MASTER = "tensorflow.MasterService";
    public static final String WORKER = "tensorflow.WorkerService";

    /** What TensorFlow's tasks do not have, and say so. */
    public static final String CLUSTER = "oxbow.Cluster";

    /** Where a task has its links: a port and the incarnation, in hex, with a blank between. */
    public static final Method<Empty, StringValue> LINK_PLACE = Method.of(
            CLUSTER, "LinkPlace", Empty.getDefaultInstance(), path(), StringValue.getDefaultInstance(), path());

    /** The time of a task, in nanoseconds since 1970. */
    public static final Method<Empty, Int64Value> CLOCK =
            Method.of(CLUSTER, "Clock", Empty.getDefaultInstance(), path(), Int64Value.getDefaultInstance(), path());

    public static final Method<Empty, TaskStatus> TASK_STATUS =
            Method.of(CLUSTER, "Status", Empty.getDefaultInstance(), path(), TaskStatus.getDefaultInstance(), path());

    /** How a kind of run of a session would be placed, in words: the request has its feeds, fetches and targets. */
    public static final Method<PartialRunSetupRequest, StringValue> EXPLAIN = Method.of(
            CLUSTER,
            "Explain",
            PartialRunSetupRequest.getDefaultInstance(),
            path(),
            StringValue.getDefaultInstance(),
            path());

    public static final Method<CreateSessionRequest, CreateSessionResponse> CREATE_SESSION =
            of(MASTER, CreateSessionRequest.class, CreateSessionResponse.class);
    public static final Method<ExtendSessionRequest, ExtendSessionResponse> EXTEND_SESSION =
            of(MASTER, ExtendSessionRequest.class, ExtendSessionResponse.class);
    public static final Method<PartialRunSetupRequest, PartialRunSetupResponse> PARTIAL_RUN_SETUP =
            of(MASTER, PartialRunSetupRequest.class, PartialRunSetupResponse.class);
    public static final Method<RunStepRequest, RunStepResponse> RUN_STEP = of(
            MASTER,
            RunStepRequest.class,
            path(RunStepRequest.FEED_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER),
            RunStepResponse.class,
            path(RunStepResponse.TENSOR_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER));
    public static final Method<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            of(MASTER, CloseSessionRequest.class, CloseSessionResponse.class);
    public static final Method<ListDevicesRequest, ListDevicesResponse> LIST_DEVICES =
            of(MASTER, ListDevicesRequest.class, ListDevicesResponse.class);
    public static final Method<ResetRequest, ResetResponse> RESET = of(MASTER, ResetRequest.class, ResetResponse.class);
    public static final Method<MakeCallableRequest, MakeCallableResponse> MAKE_CALLABLE =
            of(MASTER, MakeCallableRequest.class, MakeCallableResponse.class);
    public static final Method<RunCallableRequest, RunCallableResponse> RUN_CALLABLE = of(
            MASTER,
            RunCallableRequest.class,
            path(RunCallableRequest.FEED_FIELD_NUMBER),
            RunCallableResponse.class,
            path(RunCallableResponse.FETCH_FIELD_NUMBER));
    public static final Method<ReleaseCallableRequest, ReleaseCallableResponse> RELEASE_CALLABLE =
            of(MASTER, ReleaseCallableRequest.class, ReleaseCallableResponse.class);

    public static final Method<GetStatusRequest, GetStatusResponse> GET_STATUS =
            of(WORKER, GetStatusRequest.class, GetStatusResponse.class);
    public static final Method<CreateWorkerSessionRequest, CreateWorkerSessionResponse> CREATE_WORKER_SESSION =
            of(WORKER, CreateWorkerSessionRequest.class, CreateWorkerSessionResponse.class);
    public static final Method<DeleteWorkerSessionRequest, DeleteWorkerSessionResponse> DELETE_WORKER_SESSION =
            of(WORKER, DeleteWorkerSessionRequest.class, DeleteWorkerSessionResponse.class);
    public static final Method<RegisterGraphRequest, RegisterGraphResponse> REGISTER_GRAPH =
            of(WORKER, RegisterGraphRequest.class, RegisterGraphResponse.class);
    public static final Method<DeregisterGraphRequest, DeregisterGraphResponse> DEREGISTER_GRAPH =
            of(WORKER, DeregisterGraphRequest.class, DeregisterGraphResponse.class);
    public static final Method<RunGraphRequest, RunGraphResponse> RUN_GRAPH = of(
            WORKER,
            RunGraphRequest.class,
            path(RunGraphRequest.SEND_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER),
            RunGraphResponse.class,
            path(RunGraphResponse.RECV_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER));
    public static final Method<CleanupGraphRequest, CleanupGraphResponse> CLEANUP_GRAPH =
            of(WORKER, CleanupGraphRequest.class, CleanupGraphResponse.class);
    public static final Method<CleanupAllRequest, CleanupAllResponse> CLEANUP_ALL =
            of(WORKER, CleanupAllRequest.class, CleanupAllResponse.class);
    public static final Method<RecvTensorRequest, RecvTensorResponse> RECV_TENSOR = of(
            WORKER,
            RecvTensorRequest.class,
            path(),
            RecvTensorResponse.class,
            path(RecvTensorResponse.TENSOR_FIELD_NUMBER));
    public static final Method<MarkRecvFinishedRequest, MarkRecvFinishedResponse> MARK_RECV_FINISHED =
            of(WORKER, MarkRecvFinishedRequest.class, MarkRecvFinishedResponse.class);
    public static final Method<LoggingRequest, LoggingResponse> LOGGING =
            of(WORKER, LoggingRequest.class, LoggingResponse.class);
    public static final Method<TracingRequest, TracingResponse> TRACING =
            of(WORKER, TracingRequest.class, TracingResponse.class);

    public static final Method<CompleteGroupRequest, CompleteGroupResponse> COMPLETE_GROUP =
            of(WORKER, CompleteGroupRequest.class, CompleteGroupResponse.class);
    public static final Method<CompleteInstanceRequest, CompleteInstanceResponse> COMPLETE_INSTANCE =
            of(WORKER, CompleteInstanceRequest.class, CompleteInstanceResponse.class);
    public static final Method<RecvBufRequest, RecvBufResponse> RECV_BUF =
            of(WORKER, RecvBufRequest.class, RecvBufResponse.class);

    private Methods() {}

    private static <Q extends MessageLite, A extends MessageLite> Method<Q, A> of(
            String service, Class<Q> request, Class<A> answer) {
        return of(service, request, path(), answer, path());
    }

    /** A method whose messages have tensors, at the end of these fields; its name is that of the request. */
    private static <Q extends MessageLite, A extends MessageLite> Method<Q, A> of(
            String service, Class<Q> request, int[] requestPath, Class<A> answer, int[] answerPath) {
        String name = request.getSimpleName();
        return Method.of(
                service,
                name.substring(0, name.length() - "Request".length()),
                Internal.getDefaultInstance(request),
                requestPath,
                Internal.getDefaultInstance(answer),
                answerPath);
    }

    private static int[] path(int... fields) {
        return fields;
    }
}
