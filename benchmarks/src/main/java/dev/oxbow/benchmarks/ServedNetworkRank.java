package dev.oxbow.benchmarks;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.link.LinkOptions;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.planner.Layer;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * One worker of parameter servers that trains a network known by name: real variables and gradients of its sizes, with a wait for
 * compute. All parameters are pulled before there is a gradient, and all gradients pushed before the step ends, as the closed form
 * has it.
 */
final class ServedNetworkRank implements NetworkWorker {
    /** What the algorithm is called, before the number of servers. */
    static final String NAME = "parameter-server:";

    private static final double RATE = 1e-3;

    /** Links are full for seconds, and processes share few cores: silence says less than elsewhere. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final Server task;
    private final Session session;
    private final Value x;
    private final Node[] updates;
    private final Tensor row = Tensor.zeros(DType.F32, Shape.of(1));
    private final long computeNanos;

    /** By the words of a command line: as {@link NetworkRank#join}, then the cluster and the number of the worker. */
    ServedNetworkRank(List<String> words) {
        Network network = Network.named(words.get(0));
        computeNanos = Math.round(1e9 * Double.parseDouble(words.get(1)));
        int worker = Integer.parseInt(words.get(6));
        ClusterSpec cluster = ClusterSpec.json(words.get(5));
        int servers = NetworkBench.helpers(words.get(4)),
                workers = cluster.tasks().size() - servers;
        Ops ops = Ops.in(new Graph());
        x = ops.placeholder("x", DType.F32, Shape.of(workers));
        List<Parameter> all = new ArrayList<>();
        Value sum = ops.constant(DType.F32, 1);
        for (Layer l : network.layers()) {
            Value zeros = ops.constant(Tensor.zeros(DType.F32, Shape.of(l.parameters())));
            all.add(Parameter.of("layer" + all.size(), zeros));
            sum = sum.plus(all.getLast().value().sum());
        }
        Value loss = sum.square().times(x.mean()); // no gradient before the last parameter
        updates = Minimiser.descent(RATE).minimise(loss, all).targets();
        task = task(cluster, new TaskName("worker", worker));
        session = Plan.parameterServer(servers, workers)
                .withBucketBytes(Long.parseLong(words.get(2)))
                .withWire(WireFormat.named(words.get(3)))
                .at(task.target())
                .open(ops.graph(), worker, SessionOptions.defaults());
        session.target(all.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    /**
     * A task that trusts the network it is in, where that is not this machine's own; values go over its links then, though such
     * hosts may be namespaces, which share the machine's memory.
     */
    static Server task(ClusterSpec cluster, TaskName name) {
        String host = cluster.address(name).host();
        ServerOptions options = ServerOptions.defaults().withLostAfter(SILENCE);
        try {
            boolean own = InetAddress.getByName(host).isLoopbackAddress();
            if (own) return new Server(cluster, name, options);
            LinkOptions links = options.links().withLaneBytes(0);
            return new Server(
                    cluster,
                    name,
                    options.withBind(host).withTrustedNetwork(true).withLinks(links));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no host " + host, e);
        }
    }

    @Override
    public void step(double pace) {
        long end = System.nanoTime() + Math.round(pace * computeNanos);
        for (long left; (left = end - System.nanoTime()) > 0; ) LockSupport.parkNanos(left); // it may be let go early
        session.feed(x.edge(), row).target(updates).run().close();
    }

    @Override
    public long sent() {
        Traffic.Count wants = task.traffic().counts().get("Want");
        return wants == null ? 0 : wants.answeredBytes();
    }

    @Override
    public void close() {
        session.close();
        task.close();
        row.close();
    }
}
