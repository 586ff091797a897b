package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.wire.proto.CloseSessionRequest;
import dev.oxbow.wire.proto.CloseSessionResponse;
import dev.oxbow.wire.proto.CreateSessionRequest;
import dev.oxbow.wire.proto.CreateSessionResponse;
import dev.oxbow.wire.proto.ExtendSessionRequest;
import dev.oxbow.wire.proto.ExtendSessionResponse;
import dev.oxbow.wire.proto.ListDevicesRequest;
import dev.oxbow.wire.proto.ListDevicesResponse;
import dev.oxbow.wire.proto.MakeCallableRequest;
import dev.oxbow.wire.proto.MakeCallableResponse;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.PartialRunSetupRequest;
import dev.oxbow.wire.proto.PartialRunSetupResponse;
import dev.oxbow.wire.proto.ReleaseCallableRequest;
import dev.oxbow.wire.proto.ReleaseCallableResponse;
import dev.oxbow.wire.proto.ResetRequest;
import dev.oxbow.wire.proto.ResetResponse;
import dev.oxbow.wire.proto.RunCallableRequest;
import dev.oxbow.wire.proto.RunCallableResponse;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.RunStepResponse;

/** What clients ask masters for. */
public final class MasterMethods {
    public static final String SERVICE = "tensorflow.MasterService";

    public static final Method<CreateSessionRequest, CreateSessionResponse> CREATE_SESSION =
            of("CreateSession", CreateSessionRequest.getDefaultInstance(), CreateSessionResponse.getDefaultInstance());
    public static final Method<ExtendSessionRequest, ExtendSessionResponse> EXTEND_SESSION =
            of("ExtendSession", ExtendSessionRequest.getDefaultInstance(), ExtendSessionResponse.getDefaultInstance());
    public static final Method<PartialRunSetupRequest, PartialRunSetupResponse> PARTIAL_RUN_SETUP = of(
            "PartialRunSetup",
            PartialRunSetupRequest.getDefaultInstance(),
            PartialRunSetupResponse.getDefaultInstance());
    public static final Method<RunStepRequest, RunStepResponse> RUN_STEP = of(
            "RunStep",
            RunStepRequest.getDefaultInstance(),
            path(RunStepRequest.FEED_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER),
            RunStepResponse.getDefaultInstance(),
            path(RunStepResponse.TENSOR_FIELD_NUMBER, NamedTensorProto.TENSOR_FIELD_NUMBER));
    public static final Method<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            of("CloseSession", CloseSessionRequest.getDefaultInstance(), CloseSessionResponse.getDefaultInstance());
    public static final Method<ListDevicesRequest, ListDevicesResponse> LIST_DEVICES =
            of("ListDevices", ListDevicesRequest.getDefaultInstance(), ListDevicesResponse.getDefaultInstance());
    public static final Method<ResetRequest, ResetResponse> RESET =
            of("Reset", ResetRequest.getDefaultInstance(), ResetResponse.getDefaultInstance());
    public static final Method<MakeCallableRequest, MakeCallableResponse> MAKE_CALLABLE =
            of("MakeCallable", MakeCallableRequest.getDefaultInstance(), MakeCallableResponse.getDefaultInstance());
    public static final Method<RunCallableRequest, RunCallableResponse> RUN_CALLABLE = of(
            "RunCallable",
            RunCallableRequest.getDefaultInstance(),
            path(RunCallableRequest.FEED_FIELD_NUMBER),
            RunCallableResponse.getDefaultInstance(),
            path(RunCallableResponse.FETCH_FIELD_NUMBER));
    public static final Method<ReleaseCallableRequest, ReleaseCallableResponse> RELEASE_CALLABLE = of(
            "ReleaseCallable",
            ReleaseCallableRequest.getDefaultInstance(),
            ReleaseCallableResponse.getDefaultInstance());

    private MasterMethods() {}

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
