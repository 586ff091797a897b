package dev.oxbow.benchmarks;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Ranks;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.planner.Layer;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** One worker that trains a network known by name, with waits for compute: a third forward, the rest backward by work. */
final class NetworkRank implements NetworkWorker {
    private final Communicator job = Ranks.join();
    private final Session session;
    private final Value x;
    private final Node[] updates;
    private final Tensor row;

    private NetworkRank(Network network, double compute, Plan plan) {
        Graph graph = new Graph();
        int workers = job.size() - plan.helpers();
        row = Tensor.zeros(DType.F32, Shape.of(job.rank() < workers ? 1 : 0));
        x = Ops.in(graph).placeholder("x", DType.F32, Shape.of(workers));
        Value at = waited(x, compute / 3);
        List<Node> all = new ArrayList<>();
        for (Layer l : network.layers().reversed()) {
            at = waited(at, 2 * compute / 3 * l.work() / network.work());
            Value gradient = Value.apply(new Waits.Gradient(Shape.of(l.parameters())), at);
            all.add(graph.add(new Waits.Update(), List.of(gradient.edge())));
        }
        updates = all.toArray(Node[]::new);
        session = plan.open(graph, job);
    }

    private static Value waited(Value v, double seconds) {
        return Value.apply(new Waits.Compute(Math.round(1e9 * seconds)), v);
    }

    /** By the words of a command line: name, seconds of compute, bytes of a bucket, wire format and algorithm. */
    static NetworkRank join(List<String> words) {
        String algorithm = words.get(4);
        int helpers = NetworkBench.helpers(algorithm);
        Plan plan = (helpers > 0 ? Plan.pushPull(helpers) : Plan.ring().withAlgorithm(algorithm))
                .withBucketBytes(Long.parseLong(words.get(2)))
                .withWire(WireFormat.named(words.get(3)));
        return new NetworkRank(Network.named(words.get(0)), Double.parseDouble(words.get(1)), plan);
    }

    @Override
    public void step(double pace) {
        Waits.pace(pace);
        session.feed(x.edge(), row).target(updates).run();
    }

    @Override
    public long sent() {
        return job.trace().bytesSent();
    }

    @Override
    public void close() {
        session.close();
        job.close();
    }
}
