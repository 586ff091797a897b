package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.server.LocalCluster.Links;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A network cut by hand over four tasks, as DistBelief did. */
@Timeout(300)
final class ModelParallelTest {
    private static final int ROWS = 32, IN = 24, WIDTH = 40, OUT = 10, TASKS = 4, STEPS = 20;

    /** A network of two hidden layers, each in two halves that read both halves before, and what trains it. */
    private record Model(
            Graph graph, Value x, Value y, Value loss, List<Parameter> parameters, Node[] starts, Node[] train) {}

    private static Model model(boolean cut) {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(ROWS, IN)),
                y = ops.placeholder("y", DType.F32, Shape.of(ROWS, OUT));
        List<Parameter> all = new ArrayList<>();
        List<Value> first = new ArrayList<>(), second = new ArrayList<>();
        for (int half = 0; half < 2; half++)
            try (var _ = g.device(cut ? "/job:worker/task:" + half : "")) {
                first.add(x.matMul(weights(ops, all, IN, WIDTH)).tanh());
            }
        for (int half = 0; half < 2; half++)
            try (var _ = g.device(cut ? "/job:worker/task:" + (2 + half) : "")) {
                Value left = first.get(0).matMul(weights(ops, all, WIDTH, WIDTH));
                Value right = first.get(1).matMul(weights(ops, all, WIDTH, WIDTH));
                second.add(left.plus(right).tanh());
            }
        Value loss;
        try (var _ = g.device(cut ? "/job:worker/task:3" : "")) {
            Value out = second.get(0)
                    .matMul(weights(ops, all, WIDTH, OUT))
                    .plus(second.get(1).matMul(weights(ops, all, WIDTH, OUT)));
            Value error = out.minus(y);
            loss = error.times(error).mean();
        }
        Node[] train = Minimiser.descent(0.5).minimise(loss, all).targets();
        Node[] starts = all.stream().map(Parameter::initialiser).toArray(Node[]::new);
        return new Model(g, x, y, loss, all, starts, train);
    }

    private static Value weights(Ops ops, List<Parameter> all, int rows, int columns) {
        Random random = new Random(all.size());
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) values[i] = (float) random.nextGaussian() / (float) Math.sqrt(rows);
        Parameter p = Parameter.of("w" + all.size(), ops.constant(Tensor.of(Shape.of(rows, columns), values)));
        all.add(p);
        return p.value();
    }

    private static float[] train(Session s, Model m, Runnable afterFirst) {
        Random random = new Random(1);
        float[] xs = new float[ROWS * IN], ys = new float[ROWS * OUT], losses = new float[STEPS];
        for (int i = 0; i < xs.length; i++) xs[i] = (float) random.nextGaussian();
        for (int i = 0; i < ys.length; i++) ys[i] = (float) Math.sin(xs[i]);
        Tensor x = Tensor.of(Shape.of(ROWS, IN), xs), y = Tensor.of(Shape.of(ROWS, OUT), ys);
        s.target(m.starts).run().close();
        for (int i = 0; i < STEPS; i++) {
            try (Results r = s.feed(m.x.edge(), x)
                    .feed(m.y.edge(), y)
                    .fetch(m.loss.edge())
                    .target(m.train)
                    .run()) {
                losses[i] = r.get(0).floats()[0];
            }
            if (i == 0) afterFirst.run();
        }
        return losses;
    }

    @Test
    void aNetworkOverFourTasksTrainsAsOnOneAndEachValueCrossesOnce() {
        Model one = model(false), four = model(true);
        float[] local, spread;
        try (Session s = Session.open(one.graph, EngineOptions.defaults().withThreads(1))) {
            local = train(s, one, () -> {});
        }
        ServerOptions options =
                ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));
        try (LocalCluster c =
                        LocalCluster.start(LocalCluster.onFreePorts(Map.of("worker", TASKS)), options, Links.MESSAGES);
                Session s = Session.open(c.target(), four.graph, SessionOptions.defaults())) {
            List<Traffic.Count> before = new ArrayList<>();
            spread = train(s, four, () -> before.addAll(received(c)));
            long values = 0, bytes = 0;
            for (int i = 0; i < TASKS; i++) {
                Traffic.Count now = received(c).get(i), then = before.get(i);
                values += now.requests() - then.requests();
                bytes += now.answeredBytes() - then.answeredBytes();
            }
            // forward: each half of layer one goes to both tasks of layer two, one half of layer two to the loss;
            // backward: the same ways, one gradient for each half that was read; x goes to the other half's task
            long block = 4L * ROWS * WIDTH, crossings = 4 + 1 + 4 + 1, content = crossings * block + 4L * ROWS * IN;
            long steps = STEPS - 1;
            assertEquals(steps * (crossings + 1), values);
            assertTrue(bytes >= steps * content, bytes + " bytes");
            assertTrue(
                    bytes < steps * (content + 64 * (crossings + 1)),
                    bytes + " bytes, of which content " + steps * content);
        }
        assertArrayEquals(local, spread, 1e-5f);
        assertTrue(spread[STEPS - 1] < 0.7f * spread[0], spread[0] + " to " + spread[STEPS - 1]);
    }

    private static List<Traffic.Count> received(LocalCluster c) {
        return c.servers().stream().map(s -> s.traffic().counts().get("Want")).toList();
    }
}
