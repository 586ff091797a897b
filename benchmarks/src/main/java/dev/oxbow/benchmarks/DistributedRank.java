package dev.oxbow.benchmarks;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Ranks;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One worker of Oxbow in {@code bench distributed}, driven by lines on standard input that all workers get: {@code hello}
 * joins and answers with the losses of the first steps, {@code run STEPS} answers with the seconds that so many took, {@code
 * costs} with what a step sends. The graph is that of one device; the plan shares it out.
 */
final class DistributedRank implements AutoCloseable {
    static final int CHECKED_STEPS = 5;
    private static final int ALL_REDUCES = 200;
    /** What {@code --plan} can be. */
    static final List<String> PLANS =
            List.of("ring", "owners", "replicas", "replica-owners", "on-host", "ps", "ps-async");
    /** In the place of a folder: a parameter server. */
    static final String SERVER = "server";

    private final Communicator job;
    /** The task of a worker of parameter servers; null for others. */
    private final Server task;

    private final Session session;
    private final Value x;
    private final Value y;
    private final Value loss;
    private final Node[] updates;
    private final Tensor images;
    private final Tensor labels;
    private final long gradientBytes;

    private DistributedRank(Communicator job, Server task, Inputs inputs, Plan plan) {
        this.job = job;
        this.task = task;
        images = share(inputs.get("x"));
        labels = share(inputs.get("y"));
        Ops ops = Ops.in(new Graph());
        boolean own = plan.isServed() && !plan.served().isSynchronous(); // then batches are those of each
        x = ops.placeholder("x", DType.F32, own ? images.shape() : OxbowPeer.shape(inputs.get("x")));
        y = ops.placeholder("y", DType.I32, own ? labels.shape() : OxbowPeer.shape(inputs.get("y")));
        List<Parameter> parameters = new ArrayList<>();
        for (Inputs.Array a : inputs.parameters()) parameters.add(Parameter.of(a.name(), ops.constant(tensor(a))));
        List<Value> weights = parameters.stream().map(Parameter::value).toList();
        loss = OxbowPeer.mlp(x, y, weights);
        updates = Minimiser.descent(Workload.MLP.rate())
                .minimise(loss, parameters)
                .targets();
        gradientBytes = weights.stream().mapToLong(w -> 4 * w.shape().size()).sum();
        session = task == null
                ? plan.open(ops.graph(), EngineOptions.defaults(), SessionOptions.defaults(), job)
                : plan.at(task.target()).open(ops.graph(), job.rank(), SessionOptions.defaults());
        session.target(parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    private static Tensor tensor(Inputs.Array a) {
        return Tensor.ofBytes(a.dtype().equals("i32") ? DType.I32 : DType.F32, OxbowPeer.shape(a), a.buffer());
    }

    /** This worker's rows of an array. */
    private Tensor share(Inputs.Array a) {
        try (Tensor whole = tensor(a)) {
            long rows = whole.shape().dim(0), from = rows * job.rank() / job.size();
            return whole.rows(from, rows * (job.rank() + 1) / job.size() - from);
        }
    }

    private double step() {
        try (Tensor l = session.feed(x.edge(), images)
                .feed(y.edge(), labels)
                .fetch(loss.edge())
                .target(updates)
                .run()
                .get(0)) {
            return l.getDouble(0);
        }
    }

    private String losses() {
        StringBuilder all = new StringBuilder("losses");
        for (int i = 0; i < CHECKED_STEPS; i++) all.append(' ').append(step());
        return all.toString();
    }

    private String run(int steps) {
        long start = System.nanoTime();
        for (int i = 0; i < steps; i++) step();
        return "seconds " + (System.nanoTime() - start) / 1e9;
    }

    /** Bytes that this worker sends in a step, and seconds of an all-reduce of as many bytes as the gradients have. */
    private String costs() {
        long before = job.trace().bytesSent();
        for (int i = 0; i < CHECKED_STEPS; i++) step();
        long sent = (job.trace().bytesSent() - before) / CHECKED_STEPS;
        double[] seconds = new double[ALL_REDUCES];
        try (Tensor all = Tensor.zeros(DType.F32, Shape.of(gradientBytes / 4))) {
            for (int i = 0; i < seconds.length; i++) {
                long start = System.nanoTime();
                if (job.size() > 1) job.world().allReduce(all).await();
                seconds[i] = (System.nanoTime() - start) / 1e9;
            }
        }
        return "costs " + sent + " " + Pairs.quantile(Arrays.copyOfRange(seconds, ALL_REDUCES / 2, ALL_REDUCES), 0.5);
    }

    private String answer(String line) {
        return switch (line.split(" ")[0]) {
            case "hello" -> losses();
            case "costs" -> costs();
            default -> run(Integer.parseInt(line.split(" ")[1]));
        };
    }

    @Override
    public void close() {
        session.close();
        if (task != null) task.close();
        images.close();
        labels.close();
        job.close();
    }

    /** Serves standard input until it ends: a perceptron of a folder, or a network by name. */
    static void serve(List<String> arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err);
        AutoCloseable rank = arguments.getFirst().equals(SERVER) ? server(arguments) : null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            String text;
            try {
                if (rank == null) rank = join(arguments);
                text = rank instanceof DistributedRank d ? d.answer(line) : ((NetworkWorker) rank).answer(line);
            } catch (RuntimeException e) {
                e.printStackTrace();
                text = "error " + e.toString().replaceAll("\\s+", " ");
            }
            out.print(Child.MARK + text + "\n");
            out.flush();
        }
        if (rank instanceof DistributedRank d) d.close();
        if (rank instanceof NetworkWorker n) n.close();
        if (rank instanceof Server s) s.close();
    }

    /** By a cluster, and the number of the server where it is not the only one. */
    private static Server server(List<String> arguments) {
        int number = arguments.size() > 2 ? Integer.parseInt(arguments.get(2)) : 0;
        return ServedNetworkRank.task(ClusterSpec.json(arguments.get(1)), new TaskName("ps", number));
    }

    private static AutoCloseable join(List<String> arguments) {
        if (Network.names().contains(arguments.getFirst()))
            return arguments.get(4).startsWith(ServedNetworkRank.NAME)
                    ? new ServedNetworkRank(arguments)
                    : NetworkRank.join(arguments);
        Inputs inputs = Inputs.read(Path.of(arguments.get(0)), Workload.MLP.data());
        Communicator job = Ranks.join();
        if (arguments.size() == 1) return new DistributedRank(job, null, inputs, Plan.ring());
        if (!isServed(arguments.get(1)))
            return new DistributedRank(job, null, inputs, plan(arguments.get(1), Integer.parseInt(arguments.get(2))));
        Server task = ServedNetworkRank.task(ClusterSpec.json(arguments.get(2)), new TaskName("worker", job.rank()));
        Plan plan = Plan.parameterServer(1, job.size());
        return new DistributedRank(job, task, inputs, arguments.get(1).equals("ps") ? plan : plan.async());
    }

    /** Whether the workers of a plan are devices of one process. */
    static boolean isOfDevices(String plan) {
        return List.of("replicas", "replica-owners", "on-host").contains(plan);
    }

    /** Whether a parameter server holds the variables. */
    static boolean isServed(String plan) {
        return plan.startsWith("ps");
    }

    private static Plan plan(String name, int devices) {
        return switch (name) {
            case "owners" -> Plan.ring().withOwners(true);
            case "replicas" -> Plan.replicas(devices);
            case "replica-owners" -> Plan.replicas(devices).withOwners(true);
            case "on-host" -> Plan.replicas(devices).onHost();
            default -> Plan.ring();
        };
    }
}
