package dev.oxbow.cluster.server;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A client in a process of its own: opens and uses sessions, closes them or waits to be killed with
 * all of them open; then they share nothing with others.
 */
final class ClientProcess {
    private ClientProcess() {}

    /** Arguments: target, sessions, whether they are closed. Says by one byte that all were used. */
    public static void main(String[] a) throws IOException {
        int sessions = Integer.parseInt(a[1]);
        boolean closes = Boolean.parseBoolean(a[2]);
        Graph g = new Graph();
        Value sum, stuck;
        Parameter v;
        try (var _ = g.device("/job:worker/task:1")) {
            v = Parameter.of("v", Ops.in(g).constant(Tensor.of(Shape.of(1_000), new float[1_000])));
            Value queue = Ops.in(g)
                    .add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                    .getFirst();
            stuck = Ops.in(g)
                    .add(new QueueDequeueV2(List.of(DType.F32), -1), queue)
                    .getFirst();
        }
        try (var _ = g.device("/job:worker/task:0")) {
            sum = v.value().plus(1).sum();
        }
        SessionOptions options = SessionOptions.defaults()
                .withService(
                        ConfigProto.class,
                        ConfigProto.newBuilder().setIsolateSessionState(!closes).build());
        List<Session> open = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            Session s = Session.open(a[0], g, options);
            s.target(v.initialiser()).run().close();
            s.fetch(sum.edge()).run().close();
            if (closes) s.close();
            else open.add(s);
        }
        for (Session s : open.subList(0, Math.min(3, open.size())))
            Thread.ofPlatform().daemon().start(() -> s.fetch(stuck.edge()).run());
        System.out.write(1);
        System.out.flush();
        if (!closes) System.in.read(); // until it is killed
    }
}
