package dev.oxbow.benchmarks;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Ranks;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.collective.ops.Groups;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.gradient.Optimizer;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One worker of Oxbow in {@code bench distributed}, driven by lines on standard input that all workers get: {@code hello}
 * joins and answers with the losses of the first steps, {@code run STEPS} answers with the seconds that so many took. A
 * worker alone trains without collectives.
 */
final class DistributedRank implements AutoCloseable {
    static final int CHECKED_STEPS = 5;

    private final Communicator job;
    private final Session session;
    private final Value x;
    private final Value y;
    private final Value loss;
    private final Node[] updates;
    private final Tensor images;
    private final Tensor labels;

    private DistributedRank(Communicator job, Inputs inputs) {
        this.job = job;
        images = share(inputs.get("x"));
        labels = share(inputs.get("y"));
        Ops ops = Ops.in(new Graph());
        x = ops.placeholder("x", DType.F32, images.shape());
        y = ops.placeholder("y", DType.I32, labels.shape());
        List<Parameter> parameters = new ArrayList<>();
        for (Inputs.Array a : inputs.parameters()) parameters.add(Parameter.of(a.name(), ops.constant(tensor(a))));
        List<Value> weights = parameters.stream().map(Parameter::value).toList();
        loss = OxbowPeer.mlp(x, y, weights);
        List<Value> gradients = Gradients.of(List.of(loss), weights);
        if (job.size() > 1) {
            AllReduce mean = AllReduce.of(Reduction.MEAN).withKey("gradients");
            gradients = Value.applyAll(mean, gradients.toArray(Value[]::new));
        }
        updates = Optimizer.descent(Workload.MLP.rate())
                .apply(parameters, gradients)
                .targets();
        session = Session.open(ops.graph(), SessionOptions.defaults().withService(Groups.class, Groups.of(job)));
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

    @Override
    public void close() {
        session.close();
        images.close();
        labels.close();
        job.close();
    }

    /** Serves standard input until it ends. */
    static void serve(Path folder) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err);
        DistributedRank rank = null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            String text;
            try {
                if (rank == null) rank = new DistributedRank(Ranks.join(), Inputs.read(folder, Workload.MLP.data()));
                text = line.equals("hello") ? rank.losses() : rank.run(Integer.parseInt(line.split(" ")[1]));
            } catch (RuntimeException e) {
                e.printStackTrace();
                text = "error " + e.toString().replaceAll("\\s+", " ");
            }
            out.print(Child.MARK + text + "\n");
            out.flush();
        }
        if (rank != null) rank.close();
    }
}
