package dev.oxbow.examples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A network of two layers for the digits {@code x} of classes {@code y}: a loss for each, and the share that is right. */
record DigitsModel(Value x, Value y, Value losses, Value correct, List<Parameter> parameters) {
    private static final int HIDDEN = 128;

    /** Start values follow from the seed. */
    static DigitsModel in(Graph g, long seed) {
        Ops ops = Ops.in(g);
        Random random = new Random(seed);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, Digits.PIXELS));
        Value y = ops.placeholder("y", DType.I32, Shape.of(-1));
        List<Parameter> parameters = new ArrayList<>();
        Value hidden =
                dense("hidden", x, Digits.PIXELS, HIDDEN, random, parameters).relu();
        Value logits = dense("logits", hidden, HIDDEN, Digits.CLASSES, random, parameters);
        Value losses = Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), logits, y)
                .get(0);
        Value correct =
                logits.argMax(1).cast(DType.I32).equalTo(y).cast(DType.F32).mean();
        return new DigitsModel(x, y, losses, correct, List.copyOf(parameters));
    }

    private static Value dense(String name, Value x, int in, int out, Random random, List<Parameter> parameters) {
        float[] start = new float[in * out];
        for (int i = 0; i < start.length; i++) start[i] = (float) (random.nextGaussian() * Math.sqrt(2.0 / in));
        Parameter w = Parameter.of(name + "/w", x.ops().constant(Tensor.of(Shape.of(in, out), start)));
        Parameter b = Parameter.of(name + "/b", x.ops().constant(Tensor.zeros(DType.F32, Shape.of(out))));
        parameters.addAll(List.of(w, b));
        return x.matMul(w.value()).plus(b.value());
    }

    /** The parameters as values of the graph. */
    List<Value> weights() {
        return parameters.stream().map(Parameter::value).toList();
    }

    /** The names of the parameters, such as {@code hidden/w}. */
    List<String> names() {
        return parameters.stream().map(Parameter::name).toList();
    }

    /** Gives the parameters, and others, their start values. */
    void initialise(Session session, List<Parameter> others) {
        List<Parameter> all = new ArrayList<>(parameters);
        all.addAll(others);
        session.target(all.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    /** The share of these digits that is recognised. */
    float accuracy(Session session, Digits digits) {
        try (Tensor images = digits.images(0, digits.size());
                Tensor labels = digits.labels(0, digits.size());
                Tensor share = session.feed(x.edge(), images)
                        .feed(y.edge(), labels)
                        .fetch(correct.edge())
                        .run()
                        .get(0)) {
            return share.floats()[0];
        }
    }

    /** The values of the parameters as they are now, which the caller closes. */
    List<Tensor> values(Session session) {
        return session.fetch(weights().stream().map(Value::edge).toArray(Edge[]::new))
                .run();
    }
}
