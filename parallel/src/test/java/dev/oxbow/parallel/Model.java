package dev.oxbow.parallel;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A graph that trains, built alike by every worker, and batches to train it on. */
final class Model {
    final Graph graph = new Graph();
    final Ops ops = Ops.in(graph);
    final List<Parameter> parameters = new ArrayList<>();
    final List<Parameter> state = new ArrayList<>();
    final List<Value> inputs = new ArrayList<>();
    final List<Node> updates = new ArrayList<>();
    Value loss;

    private final Random random;
    private final DType dtype;

    Model(long seed, DType dtype) {
        this.random = new Random(seed);
        this.dtype = dtype;
    }

    /** A parameter that starts with small numbers. */
    Value parameter(String name, long... shape) {
        Tensor t = Tensor.allocate(dtype, Shape.of(shape));
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextGaussian() * 0.5);
        Parameter p = Parameter.of(name, ops.constant(t));
        parameters.add(p);
        return p.value();
    }

    /** What is fed: a first dimension of -1 is not known. */
    Value input(String name, DType type, long... shape) {
        Value v = ops.placeholder(name, type, Shape.of(shape));
        inputs.add(v);
        return v;
    }

    /** Numbers for an input, of so many rows: floating ones around 0, whole ones from 0 to {@code most}. */
    Tensor numbers(Value input, long rows, int most) {
        Shape s = input.shape().withDim(0, rows);
        Tensor t = Tensor.allocate(input.dtype(), s);
        for (long i = 0; i < t.size(); i++) {
            if (input.dtype().isFloating()) t.set(i, random.nextGaussian());
            else t.setLong(i, random.nextInt(most));
        }
        return t;
    }

    /** All numbers of parameters and other state, one after the other, and last the losses. */
    double[] train(Session session, List<List<Tensor>> batches) {
        start(session);
        List<Double> losses = new ArrayList<>();
        for (List<Tensor> batch : batches) {
            Session.Run run = session.target(updates.toArray(Node[]::new)).fetch(loss.edge());
            for (int i = 0; i < inputs.size(); i++) run.feed(inputs.get(i).edge(), batch.get(i));
            try (Results r = run.run()) {
                losses.add(r.get(0).getDouble(0));
            }
        }
        return numbers(session, losses);
    }

    private List<Parameter> all() {
        List<Parameter> all = new ArrayList<>(parameters);
        all.addAll(state);
        return all;
    }

    /** Sets the start values. */
    void start(Session session) {
        session.target(all().stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    /** What {@link #train} gives, after it. */
    double[] numbers(Session session, List<Double> losses) {
        List<Double> numbers = new ArrayList<>();
        for (Parameter p : all()) {
            try (Results r = session.fetch(p.value().edge()).run()) {
                for (long i = 0; i < r.get(0).size(); i++) numbers.add(r.get(0).getDouble(i));
            }
        }
        numbers.addAll(losses);
        return numbers.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The rows of batches that worker {@code rank} of {@code ranks} has; none for others. */
    static List<List<Tensor>> share(List<List<Tensor>> batches, int rank, int ranks) {
        List<List<Tensor>> mine = new ArrayList<>();
        for (List<Tensor> batch : batches) {
            List<Tensor> one = new ArrayList<>();
            for (Tensor t : batch) {
                if (t.shape().rank() == 0) {
                    one.add(t);
                    continue;
                }
                long all = t.shape().dim(0);
                Rows rows = rank < ranks ? Rows.share(all, rank, ranks) : new Rows(all, 0, all);
                one.add(t.rows(rows.before(), rows.count()));
            }
            mine.add(one);
        }
        return mine;
    }

    /** The largest distance between numbers, beside that of the wanted ones from 0. */
    static double distance(double[] wanted, double[] got) {
        if (wanted.length != got.length) return Double.POSITIVE_INFINITY;
        double norm = Math.sqrt(Arrays.stream(wanted).map(x -> x * x).sum()), most = 0;
        for (int i = 0; i < wanted.length; i++) {
            double d = Math.abs(wanted[i] - got[i]) / Math.max(1, norm);
            most = d <= most ? most : d; // NaN stays
        }
        return most;
    }
}
