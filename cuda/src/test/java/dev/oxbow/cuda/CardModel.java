package dev.oxbow.cuda;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A perceptron of two layers in f64 over rows of a table, with its step of gradient descent. */
final class CardModel {
    private static final int BATCH = 32;
    private static final int WIDTH = 24;

    final Ops ops = Ops.in(new Graph());
    final Value rows = ops.placeholder("rows", DType.I32, Shape.of(BATCH));
    final Value y = ops.placeholder("y", DType.I32, Shape.of(BATCH));
    final Value scale = ops.placeholder("scale", DType.F64, Shape.SCALAR);
    final Value x = ops.constant(random(3, BATCH, WIDTH)).gather(rows, 0);
    final Parameter w0 = Parameter.of("w0", ops.constant(random(1, WIDTH, WIDTH)));
    final Parameter w1 = Parameter.of("w1", ops.constant(random(2, WIDTH, 10)));
    final Value loss;
    final List<Node> step;

    CardModel() {
        Value logits = x.matMul(w0.value()).tanh().matMul(w1.value()).times(scale);
        loss = Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), logits, y)
                .get(0)
                .mean();
        step = Minimiser.descent(0.5).minimise(loss, List.of(w0, w1)).nodes();
    }

    static Engine onlyCpu() {
        return new Engine(
                EngineOptions.defaults(), (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
    }

    private static Tensor random(long seed, long... shape) {
        Random r = new Random(seed);
        double[] v = new double[(int) Shape.of(shape).size()];
        for (int i = 0; i < v.length; i++) v[i] = r.nextGaussian() * 0.3;
        return Tensor.of(Shape.of(shape), v);
    }

    Session open(Engine engine, SessionOptions options) {
        Session s = Session.open(ops.graph(), engine, options);
        s.target(w0.initialiser(), w1.initialiser()).run();
        return s;
    }

    /** Whole numbers from 0 on, below a bound, over and over, but one of them. */
    private static Tensor numbers(int bound, int at, int one) {
        int[] v = new int[BATCH];
        for (int i = 0; i < v.length; i++) v[i] = i == at ? one : i % bound;
        return Tensor.of(Shape.of(BATCH), v);
    }

    double train(Session s) {
        return train(s, 0, 0, 1);
    }

    /** A step whose eighth row and label, and all logits' factor, are given; gives the loss of before. */
    double train(Session s, int row, int label, double factor) {
        try (Tensor in = numbers(BATCH, 7, row);
                Tensor labels = numbers(10, 7, label);
                Tensor by = Tensor.of(Shape.SCALAR, factor);
                Tensor out = s.feed(rows.edge(), in)
                        .feed(y.edge(), labels)
                        .feed(scale.edge(), by)
                        .fetch(loss.edge())
                        .target(step.toArray(Node[]::new))
                        .run()
                        .get(0)) {
            return out.getDouble(0);
        }
    }

    double[] weights(Session s) {
        try (Tensor t = s.fetch(w0.value().edge()).run().get(0)) {
            return t.doubles();
        }
    }
}
