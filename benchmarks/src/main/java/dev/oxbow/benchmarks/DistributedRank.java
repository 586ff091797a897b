package dev.oxbow.benchmarks;

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
    static final List<String> PLANS = List.of("ring", "owners", "replicas", "replica-owners", "on-host");

    private final Communicator job;
    private final Session session;
    private final Value x;
    private final Value y;
    private final Value loss;
    private final Node[] updates;
    private final Tensor images;
    private final Tensor labels;
    private final long gradientBytes;

    private DistributedRank(Communicator job, Inputs inputs, Plan plan) {
        this.job = job;
        images = share(inputs.get("x"));
        labels = share(inputs.get("y"));
        Ops ops = Ops.in(new Graph());
        x = ops.placeholder("x", DType.F32, OxbowPeer.shape(inputs.get("x")));
        y = ops.placeholder("y", DType.I32, OxbowPeer.shape(inputs.get("y")));
        List<Parameter> parameters = new ArrayList<>();
        for (Inputs.Array a : inputs.parameters()) parameters.add(Parameter.of(a.name(), ops.constant(tensor(a))));
        List<Value> weights = parameters.stream().map(Parameter::value).toList();
        loss = OxbowPeer.mlp(x, y, weights);
        updates = Minimiser.descent(Workload.MLP.rate())
                .minimise(loss, parameters)
                .targets();
        gradientBytes = weights.stream().mapToLong(w -> 4 * w.shape().size()).sum();
        session = plan.open(ops.graph(), EngineOptions.defaults(), SessionOptions.defaults(), job);
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
        images.close();
        labels.close();
        job.close();
    }

    /** Serves standard input until it ends: a perceptron of a folder, or a network by name. */
    static void serve(List<String> arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err);
        AutoCloseable rank = null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            String text;
            try {
                if (rank == null) rank = join(arguments);
                text = rank instanceof DistributedRank d ? d.answer(line) : ((NetworkRank) rank).answer(line);
            } catch (RuntimeException e) {
                e.printStackTrace();
                text = "error " + e.toString().replaceAll("\\s+", " ");
            }
            out.print(Child.MARK + text + "\n");
            out.flush();
        }
        if (rank instanceof DistributedRank d) d.close();
        if (rank instanceof NetworkRank n) n.close();
    }

    private static AutoCloseable join(List<String> arguments) {
        if (Network.names().contains(arguments.getFirst())) return NetworkRank.join(arguments);
        Plan plan = arguments.size() == 1 ? Plan.ring() : plan(arguments.get(1), Integer.parseInt(arguments.get(2)));
        return new DistributedRank(Ranks.join(), Inputs.read(Path.of(arguments.get(0)), Workload.MLP.data()), plan);
    }

    /** Whether the workers of a plan are devices of one process. */
    static boolean isOfDevices(String plan) {
        return List.of("replicas", "replica-owners", "on-host").contains(plan);
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
