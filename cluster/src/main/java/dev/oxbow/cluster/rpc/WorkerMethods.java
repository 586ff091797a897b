package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.wire.proto.CleanupAllRequest;
import dev.oxbow.wire.proto.CleanupAllResponse;
import dev.oxbow.wire.proto.CleanupGraphRequest;
import dev.oxbow.wire.proto.CleanupGraphResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.CreateWorkerSessionResponse;
import dev.oxbow.wire.proto.DeleteWorkerSessionRequest;
import dev.oxbow.wire.proto.DeleteWorkerSessionResponse;
import dev.oxbow.wire.proto.DeregisterGraphRequest;
import dev.oxbow.wire.proto.DeregisterGraphResponse;
import dev.oxbow.wire.proto.GetStatusRequest;
import dev.oxbow.wire.proto.GetStatusResponse;
import dev.oxbow.wire.proto.LoggingRequest;
import dev.oxbow.wire.proto.LoggingResponse;
import dev.oxbow.wire.proto.MarkRecvFinishedRequest;
import dev.oxbow.wire.proto.MarkRecvFinishedResponse;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.RecvTensorRequest;
import dev.oxbow.wire.proto.RecvTensorResponse;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import dev.oxbow.wire.proto.RegisterGraphResponse;
import dev.oxbow.wire.proto.RunGraphRequest;
import dev.oxbow.wire.proto.RunGraphResponse;
import dev.oxbow.wire.proto.TracingRequest;
import dev.oxbow.wire.proto.TracingResponse;

/** What masters ask workers for, and workers each other. */
public final class WorkerMethods {
    public static final String SERVICE = "tensorflow.WorkerService";

    public static final Method<GetStatusRequest, GetStatusResponse> GET_STATUS =
            of("GetStatus", GetStatusRequest.getDefaultInstance(), GetStatusResponse.getDefaultInstance());
    public static final Method<CreateWorkerSessionRequest, CreateWorkerSessionResponse> CREATE_WORKER_SESSION = of(
            "CreateWorkerSession",
            CreateWorkerSessionRequest.getDefaultInstance(),
            CreateWorkerSessionResponse.getDefaultInstance());
    public static final Method<DeleteWorkerSessionRequest, DeleteWorkerSessionResponse> DELETE_WORKER_SESSION = of(
            "DeleteWorkerSession",
            DeleteWorkerSessionRequest.getDefaultInstance(),
            DeleteWorkerSessionResponse.getDefaultInstance());
    public static final Method<RegisterGraphRequest, RegisterGraphResponse> REGISTER_GRAPH =
            of("RegisterGraph", RegisterGraphRequest.getDefaultInstance(), RegisterGraphResponse.getDefaultInstance());
    public static final Method<DeregisterGraphRequest, DeregisterGraphResponse> DEREGISTER_GRAPH = of(
            "DeregisterGraph",
            DeregisterGraphRequest.getDefaultInstance(),
            DeregisterGraphResponse.getDefaultInstance());
    public static final Method<RunGraphRequest, RunGraphResponse> RUN_GRAPH = of(
            "RunGraph",
            RunGraphRequest.getDefaultInstance(),
            path(RunGraphRequest.SEND_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER),
            RunGraphResponse.getDefaultInstance(),
            path(RunGraphResponse.RECV_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER));
    public static final Method<CleanupGraphRequest, CleanupGraphResponse> CLEANUP_GRAPH =
            of("CleanupGraph", CleanupGraphRequest.getDefaultInstance(), CleanupGraphResponse.getDefaultInstance());
    public static final Method<CleanupAllRequest, CleanupAllResponse> CLEANUP_ALL =
            of("CleanupAll", CleanupAllRequest.getDefaultInstance(), CleanupAllResponse.getDefaultInstance());
    public static final Method<RecvTensorRequest, RecvTensorResponse> RECV_TENSOR = of(
            "RecvTensor",
            RecvTensorRequest.getDefaultInstance(),
            path(),
            RecvTensorResponse.getDefaultInstance(),
            path(RecvTensorResponse.TENSOR_FIELD_NUMBER));
    public static final Method<MarkRecvFinishedRequest, MarkRecvFinishedResponse> MARK_RECV_FINISHED = of(
            "MarkRecvFinished",
            MarkRecvFinishedRequest.getDefaultInstance(),
            MarkRecvFinishedResponse.getDefaultInstance());
    public static final Method<LoggingRequest, LoggingResponse> LOGGING =
            of("Logging", LoggingRequest.getDefaultInstance(), LoggingResponse.getDefaultInstance());
    public static final Method<TracingRequest, TracingResponse> TRACING =
            of("Tracing", TracingRequest.getDefaultInstance(), TracingResponse.getDefaultInstance());

    private WorkerMethods() {}

    private static <Q extends MessageLite, A extends MessageLite> Method<Q, A> of(String name, Q request, A answer) {
        return Method.of(SERVICE, name, request, answer);
    }

    private static <Q extends MessageLite, A extends MessageLite> Method<Q, A> of(
            String name, Q request, int[] requestPath, A answer, int[] answerPath) {
        return Method.of(SERVICE, name, request, requestPath, answer, answerPath);
    }

    private static int[] path(int... fields) {
        return fields;
    }
}
