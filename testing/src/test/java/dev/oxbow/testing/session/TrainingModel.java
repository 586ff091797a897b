package dev.oxbow.testing.session;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.graph.Passes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A small model with its training step. */
final class TrainingModel {
    private static final int STEPS = 4;

    final Graph graph = new Graph();
    final Ops ops = Ops.in(graph);
    final Random random = new Random(17);
    final List<Parameter> parameters = new ArrayList<>();
    final Map<String, float[]> initial = new HashMap<>();
    Value x;
    Tensor data;
    Value loss;
    List<Node> updates;

    Value parameter(String name, double scale, long... dims) {
        Tensor t = floats(scale, dims);
        initial.put(name, t.floats());
        Parameter p = Parameter.of(name, ops.constant(t));
        parameters.add(p);
        return p.value();
    }

    Tensor floats(double scale, long... dims) {
        Shape s = Shape.of(dims);
        float[] f = new float[(int) s.size()];
        for (int i = 0; i < f.length; i++) f[i] = (float) (scale * random.nextGaussian());
        return Tensor.of(s, f);
    }

    TrainingModel input(long... dims) {
        long[] open = dims.clone();
        open[0] = -1;
        x = ops.placeholder("x", DType.F32, Shape.of(open));
        data = floats(1, dims);
        return this;
    }

    TrainingModel train(Value out) {
        loss = out.square().mean();
        updates = Minimiser.descent(0.1).minimise(loss, parameters).nodes();
        return this;
    }

    /** The graph as passes leave it, before memory is looked at. */
    Subgraph prepared() {
        Subgraph cut = Cut.run(graph, List.of(x.edge()), List.of(data.shape()), List.of(loss.edge()), updates);
        return Passes.run(cut, new Inline(), new Infer(), new Fold(), new Deduplicate(), new Prune(), new Infer());
    }

    FitMemory.Report estimate(long budget) {
        return Passes.fit(prepared(), budget);
    }

    /** Losses of some steps, then all variables. */
    List<float[]> run(Engine engine, SessionOptions options) {
        List<float[]> all = new ArrayList<>();
        try (Session s = Session.open(graph, engine, options)) {
            initialise(s);
            for (int i = 0; i < STEPS; i++) all.add(step(s));
            for (Parameter p : parameters)
                all.add(floats(s.fetch(p.value().edge()).run()));
        }
        return all;
    }

    void initialise(Session s) {
        s.target(parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    float[] step(Session s) {
        return floats(s.feed(x.edge(), data)
                .fetch(loss.edge())
                .target(updates.toArray(Node[]::new))
                .run());
    }

    long stateBytes() {
        long sum = 0;
        for (Parameter p : parameters)
            sum += MemoryPool.blockSize(MemoryPool.byteSize(DType.F32, p.value().shape()));
        return sum;
    }

    /** The initial value of a parameter. */
    float[] data(String name) {
        return initial.get(name);
    }

    static float[] floats(List<Tensor> one) {
        float[] f = one.get(0).floats();
        one.get(0).close();
        return f;
    }

    static TrainingModel of(String kind, int batch) {
        return switch (kind) {
            case "mlp" -> mlp(24, batch);
            case "cnn" -> cnn(batch);
            case "transformer" -> transformer(batch);
            case "rnn" -> rnn(batch);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    static TrainingModel mlp(int layers, int batch) {
        TrainingModel m = new TrainingModel().input(batch, 32);
        Value h = m.x;
        for (int i = 0; i < layers; i++)
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32))
                    .plus(m.parameter("b" + i, 0.1, 32))
                    .tanh();
        return m.train(h);
    }

    private static TrainingModel cnn(int batch) {
        TrainingModel m = new TrainingModel().input(batch, 24, 24, 4);
        Value h = m.x;
        for (int i = 0; i < 16; i++) {
            Value w = m.parameter("w" + i, 0.2, 3, 3, 4, 4);
            h = Value.apply(Ops.named("Conv2D", Map.of("strides", List.of(1L, 1L, 1L, 1L), "padding", "SAME")), h, w)
                    .plus(m.parameter("b" + i, 0.1, 4))
                    .relu();
        }
        return m.train(h);
    }

    private static TrainingModel transformer(int batch) {
        int time = 48, d = 32, heads = 4;
        TrainingModel m = new TrainingModel().input(batch, time, d);
        Value h = m.x;
        for (int i = 0; i < 4; i++) {
            Value a = norm(h).reshape(batch * time, d);
            Value[] three = new Value[3];
            for (int k = 0; k < 3; k++)
                three[k] = a.matMul(m.parameter("qkv" + i + k, 0.2, d, d))
                        .reshape(batch, time, heads, d / heads)
                        .transpose(0, 2, 1, 3);
            Value scores = Value.apply(Ops.named("BatchMatMulV2", Map.of("adj_y", true)), three[0], three[1]);
            Value mixed = Value.apply(
                    Ops.named("BatchMatMulV2", Map.of()),
                    Value.apply(Ops.named("Softmax", Map.of()), scores),
                    three[2]);
            Value joined = mixed.transpose(0, 2, 1, 3).reshape(batch * time, d);
            h = h.plus(joined.matMul(m.parameter("o" + i, 0.2, d, d)).reshape(batch, time, d));
            Value f = norm(h).reshape(batch * time, d)
                    .matMul(m.parameter("f" + i, 0.2, d, 4 * d))
                    .tanh();
            h = h.plus(f.matMul(m.parameter("g" + i, 0.2, 4 * d, d)).reshape(batch, time, d));
        }
        return m.train(h);
    }

    /** One weight in all time steps: its gradient is a sum of products. */
    private static TrainingModel rnn(int batch) {
        int time = 8, d = 64;
        TrainingModel m = new TrainingModel().input(batch, time * d);
        Value all = m.x.reshape(batch, time, d).transpose(1, 0, 2), w = m.parameter("w", 0.1, d, 2 * d);
        Value h = m.ops.constant(m.floats(1, batch, d)), v = m.parameter("v", 0.1, 2 * d, d);
        for (Value x : Value.applyAll(Ops.named("Unpack", Map.of("num", (long) time)), all))
            h = x.plus(h.matMul(w).tanh().matMul(v)).tanh();
        return m.train(h);
    }

    private static Value norm(Value x) {
        Value centred = x.minus(x.mean(true, 2));
        return centred.times(centred.square().mean(true, 2).plus(1e-5).rsqrt());
    }
}
