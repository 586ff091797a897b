package dev.oxbow.cluster.master;

import dev.oxbow.cluster.worker.Devices;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.ServerDef;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Tells workers of a new session. */
record WorkerSessions(String handle, LocalWorker master, ConfigProto config, List<DeviceSpec> devices) {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Tells all at once; {@code then} gets the first error, or null. */
    void open(Collection<Worker> workers, Consumer<OxbowException> then) {
        AtomicInteger left = new AtomicInteger(workers.size());
        OxbowException[] first = {null};
        for (Worker w : workers)
            w.createSession(request(w), SOON, error -> {
                synchronized (first) {
                    if (error != null && first[0] == null) first[0] = error;
                }
                if (left.decrementAndGet() == 0) then.accept(first[0]);
            });
    }

    private CreateWorkerSessionRequest request(Worker w) {
        return CreateWorkerSessionRequest.newBuilder()
                .setSessionHandle(handle)
                .setServerDef(ServerDef.newBuilder()
                        .setJobName(w.task().job())
                        .setTaskIndex(w.task().task())
                        .setProtocol("grpc"))
                .setIsolateSessionState(config.getIsolateSessionState())
                .addAllClusterDeviceAttributes(Devices.encode(devices))
                .setMasterTask(master.task().toString())
                .setMasterIncarnation(master.devices().getFirst().incarnation())
                .build();
    }
}
