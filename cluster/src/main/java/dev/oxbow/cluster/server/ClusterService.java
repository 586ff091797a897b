package dev.oxbow.cluster.server;

import com.google.protobuf.Int64Value;
import com.google.protobuf.StringValue;
import dev.oxbow.cluster.link.Links;
import dev.oxbow.cluster.master.Master;
import dev.oxbow.cluster.rpc.Call;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Service;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.runtime.trace.Clock;
import dev.oxbow.wire.proto.TaskStatus;
import java.util.concurrent.Executor;

/** What tasks of ours tell each other, our clients and who looks at a cluster, and TensorFlow's do not. */
final class ClusterService {
    private final LocalWorker worker;
    private final Master master;
    private final Links links;
    private final long started = System.nanoTime();

    private ClusterService(LocalWorker worker, Master master, Links links) {
        this.worker = worker;
        this.master = master;
        this.links = links;
    }

    /** {@code links} may be null: then it says that there are none. */
    static Service of(LocalWorker worker, Master master, Links links, Executor slow, Traffic traffic) {
        ClusterService s = new ClusterService(worker, master, links);
        StringValue place = StringValue.of(links == null ? "" : "%d %x".formatted(links.port(), links.incarnation()));
        return new Service(Methods.CLUSTER, traffic)
                .on(Methods.LINK_PLACE, (_, call) -> call.answer(place))
                .on(Methods.CLOCK, (_, call) -> call.answer(Int64Value.of(Clock.now())))
                .on(Methods.TASK_STATUS, (_, call) -> s.status(call))
                .on(Methods.EXPLAIN, (r, call) -> slow.execute(() -> master.explain(r, call)));
    }

    private void status(Call<TaskStatus> call) {
        TaskStatus.Builder b = TaskStatus.newBuilder()
                .setClockNanos(Clock.now())
                .setUpNanos(System.nanoTime() - started)
                .setProcess(ProcessHandle.current().pid())
                .setSessions(master.sessions().value());
        worker.tell(b);
        if (links == null) {
            call.answer(b.build());
            return;
        }
        links.peers(all -> {
            all.forEach((task, shared) ->
                    b.addLink(TaskStatus.Link.newBuilder().setTask(task).setSharedMemory(shared)));
            call.answer(b.build());
        });
    }
}
