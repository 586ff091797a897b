package dev.oxbow.cluster.worker;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.oxbow.cluster.rpc.Call;
import dev.oxbow.cluster.rpc.Cargo;
import dev.oxbow.cluster.rpc.Gate;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Received;
import dev.oxbow.cluster.rpc.Service;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CleanupAllResponse;
import dev.oxbow.wire.proto.CleanupGraphResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionResponse;
import dev.oxbow.wire.proto.DeleteWorkerSessionResponse;
import dev.oxbow.wire.proto.DeregisterGraphResponse;
import dev.oxbow.wire.proto.GetStatusResponse;
import dev.oxbow.wire.proto.LoggingResponse;
import dev.oxbow.wire.proto.MarkRecvFinishedResponse;
import dev.oxbow.wire.proto.NamedTensorProto;
import dev.oxbow.wire.proto.RecvBufRequest;
import dev.oxbow.wire.proto.RecvBufRespExtra;
import dev.oxbow.wire.proto.RecvBufResponse;
import dev.oxbow.wire.proto.RecvTensorRequest;
import dev.oxbow.wire.proto.RecvTensorResponse;
import dev.oxbow.wire.proto.RegisterGraphResponse;
import dev.oxbow.wire.proto.RunGraphRequest;
import dev.oxbow.wire.proto.RunGraphResponse;
import dev.oxbow.wire.proto.TracingResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** TensorFlow's WorkerService, answered by the worker of this process. */
public final class WorkerService {
    private static final Duration NOW = Duration.ZERO;

    private final LocalWorker worker;

    private WorkerService(LocalWorker worker) {
        this.worker = worker;
    }

    public static Service of(LocalWorker worker, Gate gate, Traffic traffic) {
        WorkerService s = new WorkerService(worker);
        return new Service(Methods.WORKER, traffic)
                .on(
                        Methods.GET_STATUS,
                        (_, call) -> call.answer(GetStatusResponse.newBuilder()
                                .addAllDeviceAttributes(Devices.encode(worker.devices()))
                                .build()))
                .on(
                        Methods.CREATE_WORKER_SESSION,
                        gate.guard((r, call) -> worker.createSession(
                                r, NOW, told(call, CreateWorkerSessionResponse.getDefaultInstance()))))
                .on(
                        Methods.DELETE_WORKER_SESSION,
                        (r, call) -> worker.deleteSession(
                                r.getSessionHandle(), told(call, DeleteWorkerSessionResponse.getDefaultInstance())))
                .on(
                        Methods.REGISTER_GRAPH,
                        (r, call) -> worker.register(
                                r,
                                null,
                                (handle, error) -> call.end(
                                        error != null
                                                ? null
                                                : RegisterGraphResponse.newBuilder()
                                                        .setGraphHandle(handle)
                                                        .build(),
                                        error)))
                .on(
                        Methods.DEREGISTER_GRAPH,
                        (r, call) -> worker.deregister(
                                r.getSessionHandle(),
                                r.getGraphHandle(),
                                told(call, DeregisterGraphResponse.getDefaultInstance())))
                .onTensors(Methods.RUN_GRAPH, gate.guard(r -> !r.getIsPartial(), s::run))
                .on(Methods.CLEANUP_GRAPH, (r, call) -> {
                    worker.cleanup(r.getStepId());
                    call.answer(CleanupGraphResponse.getDefaultInstance());
                })
                .on(
                        Methods.CLEANUP_ALL,
                        (r, call) -> worker.cleanupAll(
                                r.getContainerList(), told(call, CleanupAllResponse.getDefaultInstance())))
                .on(Methods.RECV_TENSOR, s::receive)
                .on(Methods.RECV_BUF, s::receiveBytes)
                .on(Methods.COMPLETE_GROUP, (r, call) -> worker.completeGroup(r, call.cancellation(), NOW, call::end))
                .on(
                        Methods.COMPLETE_INSTANCE,
                        (r, call) -> worker.completeInstance(r, call.cancellation(), NOW, call::end))
                .on(Methods.MARK_RECV_FINISHED, (_, call) -> call.answer(MarkRecvFinishedResponse.getDefaultInstance()))
                .on(Methods.LOGGING, (_, call) -> call.answer(LoggingResponse.getDefaultInstance()))
                .on(Methods.TRACING, (_, call) -> call.answer(TracingResponse.getDefaultInstance()));
    }

    private static <A extends MessageLite> Consumer<OxbowException> told(Call<A> call, A done) {
        return error -> call.end(done, error);
    }

    private void run(Received<RunGraphRequest> request, Call<RunGraphResponse> call) {
        RunGraphRequest r = request.message();
        worker.seen(r.getRequestId());
        List<String> keys = new ArrayList<>();
        List<Tensor> feeds = new ArrayList<>();
        try {
            for (NamedTensorProto t : r.getSendList()) {
                keys.add(t.getName());
                feeds.add(request.tensor(t.getTensor()));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            feeds.forEach(Tensor::release);
            throw e;
        }
        RunGraph run = new RunGraph(
                r.getSessionHandle(),
                r.getGraphHandle(),
                r.getStepId(),
                keys,
                feeds,
                r.getRecvKeyList(),
                r.getIsPartial(),
                r.getIsLastPartialRun(),
                r.getExecOpts().getRecordTimeline() || r.getExecOpts().getRecordCosts());
        worker.run(run, call.cancellation(), (result, error) -> {
            feeds.forEach(Tensor::release);
            if (error == null) answer(run, result, call);
            else if (r.getStoreErrorsInResponseBody())
                call.answer(RunGraphResponse.newBuilder()
                        .setStatusCode(error.code().number())
                        .setStatusErrorMessage(Statuses.text(error))
                        .setErrorPlace(Statuses.place(error))
                        .build());
            else call.fail(error);
        });
    }

    private static void answer(RunGraph run, RunGraph.Result result, Call<RunGraphResponse> call) {
        RunGraphResponse.Builder answer = RunGraphResponse.newBuilder();
        Cargo cargo = call.cargo();
        try {
            for (int i = 0; i < run.fetchKeys().size(); i++)
                answer.addRecv(NamedTensorProto.newBuilder()
                        .setName(run.fetchKeys().get(i))
                        .setTensor(cargo.encode(result.fetched().get(i))));
            if (result.stats() != null) answer.setStepStats(result.stats());
            call.answer(answer.build(), cargo);
        } catch (RuntimeException | OutOfMemoryError e) {
            call.fail(Statuses.of(e));
        } finally {
            result.release();
        }
    }

    private void receive(RecvTensorRequest r, Call<RecvTensorResponse> call) {
        worker.seen(r.getRequestId());
        worker.receive(r.getStepId(), r.getRendezvousKey(), call.cancellation(), (value, error) -> {
            if (error != null) call.fail(Statuses.of(error));
            else answer(value, call);
        });
    }

    private static void answer(Tensor value, Call<RecvTensorResponse> call) {
        RecvTensorResponse.Builder answer =
                RecvTensorResponse.newBuilder().setSendStartMicros(System.currentTimeMillis() * 1_000);
        Cargo cargo = call.cargo();
        try {
            if (value == null) answer.setIsDead(true);
            else answer.setTensor(cargo.encode(value));
            call.answer(answer.build(), cargo);
        } catch (RuntimeException | OutOfMemoryError e) {
            call.fail(Statuses.of(e));
        } finally {
            if (value != null) value.release();
        }
    }

    private void receiveBytes(RecvBufRequest r, Call<RecvBufResponse> call) {
        worker.seen(r.getRequestId());
        worker.receive(r.getStepId(), r.getBufRendezvousKey(), call.cancellation(), (value, error) -> {
            if (error != null) call.fail(Statuses.of(error));
            else answerBytes(value, call);
        });
    }

    private static void answerBytes(Tensor value, Call<RecvBufResponse> call) {
        RecvBufResponse.Builder answer =
                RecvBufResponse.newBuilder().setSendStartMicros(System.currentTimeMillis() * 1_000);
        try {
            if (value == null) answer.setIsDead(true);
            else {
                byte[] bytes = value.bytes();
                answer.setNumBytes(bytes.length)
                        .setTransportOptions(Any.pack(RecvBufRespExtra.newBuilder()
                                .addTensorContent(ByteString.copyFrom(bytes))
                                .build()));
            }
            call.answer(answer.build());
        } catch (RuntimeException | OutOfMemoryError e) { // such a value does not travel
            call.fail(Statuses.of(e));
        } finally {
            if (value != null) value.release();
        }
    }
}
