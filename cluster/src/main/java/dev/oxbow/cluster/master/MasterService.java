package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.cluster.rpc.Call;
import dev.oxbow.cluster.rpc.Cargo;
import dev.oxbow.cluster.rpc.Gate;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Received;
import dev.oxbow.cluster.rpc.Service;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.worker.Devices;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CallableOptions;
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
import dev.oxbow.wire.proto.RunMetadata;
import dev.oxbow.wire.proto.RunOptions.TraceLevel;
import dev.oxbow.wire.proto.RunStepRequest;
import dev.oxbow.wire.proto.RunStepResponse;
import dev.oxbow.wire.proto.TensorProto;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/** TensorFlow's MasterService, answered by the master of this process. */
public final class MasterService {
    private final Master master;
    private final String task;
    private final Executor slow;

    private MasterService(Master master, String task, Executor slow) {
        this.master = master;
        this.task = task;
        this.slow = slow;
    }

    /** The service of a master in a task; what may take long goes to {@code slow}, and what begins something by {@code gate}. */
    public static Service of(Master master, String task, Executor slow, Gate gate, Traffic traffic) {
        MasterService s = new MasterService(master, task, slow);
        return new Service(Methods.MASTER, traffic)
                .on(Methods.CREATE_SESSION, gate.guard(s::create))
                .on(Methods.EXTEND_SESSION, s::extend)
                .onTensors(
                        Methods.RUN_STEP,
                        gate.guard(r -> r.getPartialRunHandle().isEmpty(), s::run))
                .on(Methods.PARTIAL_RUN_SETUP, gate.guard(s::partialRun))
                .on(Methods.CLOSE_SESSION, s::close)
                .on(Methods.LIST_DEVICES, s::devices)
                .on(Methods.RESET, s::reset)
                .on(Methods.MAKE_CALLABLE, s::makeCallable)
                .onTensors(Methods.RUN_CALLABLE, gate.guard(_ -> true, s::runCallable))
                .on(Methods.RELEASE_CALLABLE, s::releaseCallable);
    }

    private OxbowException located(OxbowException e) {
        return e == null ? null : e.in(task);
    }

    private void create(CreateSessionRequest r, Call<CreateSessionResponse> call) {
        master.create(r.getGraphDef(), r.getConfig(), call.connection(), call.cancellation(), (session, error) -> {
            if (error != null) call.fail(located(error));
            else if (call.cancellation().isCancelled())
                master.close(session.handle(), call.connection(), _ -> {}); // nobody knows of it
            else
                call.answer(CreateSessionResponse.newBuilder()
                        .setSessionHandle(session.handle())
                        .setGraphVersion(session.version())
                        .build());
        });
    }

    private void extend(ExtendSessionRequest r, Call<ExtendSessionResponse> call) {
        MasterSession s = master.session(r.getSessionHandle(), call.connection());
        slow.execute(() -> {
            try {
                long version = s.extend(r.getGraphDef(), r.getCurrentGraphVersion());
                call.answer(ExtendSessionResponse.newBuilder()
                        .setNewGraphVersion(version)
                        .build());
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                call.fail(located(Statuses.of(e)));
            }
        });
    }

    private void close(CloseSessionRequest r, Call<CloseSessionResponse> call) {
        master.close(
                r.getSessionHandle(),
                call.connection(),
                error -> call.end(CloseSessionResponse.getDefaultInstance(), located(error)));
    }

    private void reset(ResetRequest r, Call<ResetResponse> call) {
        master.reset(
                r.getContainerList(),
                r.getDeviceFiltersList(),
                error -> call.end(ResetResponse.getDefaultInstance(), located(error)));
    }

    private void devices(ListDevicesRequest r, Call<ListDevicesResponse> call) {
        if (!r.getSessionHandle().isEmpty())
            list(master.session(r.getSessionHandle(), call.connection()).devices(), call);
        else
            master.devices((devices, error) -> {
                if (error != null) call.fail(located(error));
                else list(devices, call);
            });
    }

    private void list(List<DeviceSpec> devices, Call<ListDevicesResponse> call) {
        ListDevicesResponse.Builder answer = ListDevicesResponse.newBuilder();
        for (DeviceSpec d : devices) {
            if (d.name().startsWith(task + "/")) answer.addLocalDevice(Devices.encode(d));
            else answer.addRemoteDevice(Devices.encode(d));
        }
        call.answer(answer.build());
    }

    private void run(Received<RunStepRequest> request, Call<RunStepResponse> call) {
        RunStepRequest r = request.message();
        List<Tensor> values = new ArrayList<>(r.getFeedCount());
        List<String> feeds = new ArrayList<>(r.getFeedCount());
        BiConsumer<ClusterStep.Result, OxbowException> then = (result, error) -> {
            values.forEach(Tensor::release);
            if (error == null) answer(r, result, call);
            else fail(r, located(error), call);
        };
        try {
            MasterSession s = master.session(r.getSessionHandle(), call.connection());
            for (NamedTensorProto f : r.getFeedList()) {
                feeds.add(f.getName());
                values.add(request.tensor(f.getTensor()));
            }
            long timeout = r.getOptions().getTimeoutInMs();
            if (!r.getPartialRunHandle().isEmpty())
                s.runPartial(
                        r.getPartialRunHandle(), feeds, values, r.getFetchList(), timeout, call.cancellation(), then);
            else {
                Key key = new Key(feeds, r.getFetchList(), r.getTargetList(), false);
                s.run(
                        key,
                        values,
                        timeout,
                        r.getOptions().getTraceLevel(),
                        call.cancellation(),
                        r.getOptions().getOutputPartitionGraphs() ? partitioned(s, key, then) : then);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            then.accept(null, Statuses.of(e));
        }
    }

    /** Adds the parts of the graph to what a step gives. */
    private BiConsumer<ClusterStep.Result, OxbowException> partitioned(
            MasterSession s, Key key, BiConsumer<ClusterStep.Result, OxbowException> then) {
        return (result, error) -> {
            if (error != null) then.accept(null, error);
            else
                slow.execute(() -> then.accept(
                        new ClusterStep.Result(result.fetched(), result.stats(), s.partitions(key), result.costs()),
                        null));
        };
    }

    private void answer(RunStepRequest r, ClusterStep.Result result, Call<RunStepResponse> call) {
        RunStepResponse.Builder answer = RunStepResponse.newBuilder();
        Cargo cargo = call.cargo();
        try {
            for (int i = 0; i < result.fetched().length; i++)
                answer.addTensor(NamedTensorProto.newBuilder()
                        .setName(r.getFetch(i))
                        .setTensor(cargo.encode(result.fetched()[i])));
            RunMetadata.Builder metadata = RunMetadata.newBuilder().addAllPartitionGraphs(result.partitions());
            if (result.stats() != null) metadata.setStepStats(result.stats());
            if (result.costs() != null) metadata.setCostGraph(result.costs());
            if (metadata.hasStepStats()
                    || metadata.hasCostGraph()
                    || !result.partitions().isEmpty()) answer.setMetadata(metadata);
            call.answer(answer.build(), cargo);
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(r, located(Statuses.of(e)), call);
        } finally {
            result.release();
        }
    }

    private static void fail(RunStepRequest r, OxbowException error, Call<RunStepResponse> call) {
        if (!r.getStoreErrorsInResponseBody()) call.fail(error);
        else
            call.answer(RunStepResponse.newBuilder()
                    .setStatusCode(error.code().number())
                    .setStatusErrorMessage(Statuses.text(error))
                    .setErrorPlace(Statuses.place(error))
                    .build());
    }

    private void partialRun(PartialRunSetupRequest r, Call<PartialRunSetupResponse> call) {
        Key key = new Key(r.getFeedList(), r.getFetchList(), r.getTargetList(), true);
        master.session(r.getSessionHandle(), call.connection()).partialRun(key, (handle, error) -> {
            if (error != null) call.fail(located(error));
            else
                call.answer(PartialRunSetupResponse.newBuilder()
                        .setPartialRunHandle(handle)
                        .build());
        });
    }

    private void makeCallable(MakeCallableRequest r, Call<MakeCallableResponse> call) {
        CallableOptions o = r.getOptions();
        require(
                o.getTensorConnectionCount() == 0,
                UNIMPLEMENTED,
                "MakeCallable: tensor_connection is not supported, got %d",
                o.getTensorConnectionCount());
        long handle = master.session(r.getSessionHandle(), call.connection())
                .makeCallable(new Key(o.getFeedList(), o.getFetchList(), o.getTargetList(), false));
        call.answer(MakeCallableResponse.newBuilder().setHandle(handle).build());
    }

    private void runCallable(Received<RunCallableRequest> request, Call<RunCallableResponse> call) {
        RunCallableRequest r = request.message();
        MasterSession s = master.session(r.getSessionHandle(), call.connection());
        Key key = s.callable(r.getHandle());
        List<Tensor> values = new ArrayList<>();
        try {
            for (TensorProto t : r.getFeedList()) values.add(request.tensor(t));
        } catch (RuntimeException | OutOfMemoryError e) {
            values.forEach(Tensor::release);
            throw e;
        }
        s.run(key, values, 0, TraceLevel.NO_TRACE, call.cancellation(), (result, error) -> {
            values.forEach(Tensor::release);
            if (error != null) {
                call.fail(located(error));
                return;
            }
            try {
                RunCallableResponse.Builder answer = RunCallableResponse.newBuilder();
                Cargo cargo = call.cargo();
                for (Tensor t : result.fetched()) answer.addFetch(cargo.encode(t));
                call.answer(answer.build(), cargo);
            } catch (RuntimeException | OutOfMemoryError e) {
                call.fail(located(Statuses.of(e)));
            } finally {
                result.release();
            }
        });
    }

    private void releaseCallable(ReleaseCallableRequest r, Call<ReleaseCallableResponse> call) {
        master.session(r.getSessionHandle(), call.connection()).releaseCallable(r.getHandle());
        call.answer(ReleaseCallableResponse.getDefaultInstance());
    }
}
