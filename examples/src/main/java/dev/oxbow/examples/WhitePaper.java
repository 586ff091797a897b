package dev.oxbow.examples;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The first program of TensorFlow's white paper (Abadi et al., 2015): a layer as a graph, run step by step. */
public final class WhitePaper {
    private WhitePaper() {}

    /** The costs of so many steps, each on another input. */
    static List<Float> costs(int steps, long seed) {
        Random random = new Random(seed);
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Parameter b = Parameter.of("b", ops.constant(Tensor.zeros(DType.F32, Shape.of(100, 1))));
        Parameter w = Parameter.of("W", ops.constant(uniform(random, 100, 784)));
        Value x = ops.placeholder("x", DType.F32, Shape.of(784, 1));
        Value relu = w.value().matMul(x).plus(b.value()).relu();
        Value cost = relu.square().sum().sqrt().named("C"); // the paper leaves open which one

        List<Float> costs = new ArrayList<>();
        try (Session s = Session.open(graph)) {
            s.target(b.initialiser(), w.initialiser()).run();
            for (int step = 0; step < steps; step++)
                try (Tensor input = uniform(random, 784, 1);
                        Tensor result =
                                s.feed(x.edge(), input).fetch(cost.edge()).run().get(0)) {
                    costs.add(result.floats()[0]);
                }
        }
        return costs;
    }

    private static Tensor uniform(Random random, int rows, int columns) {
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) values[i] = random.nextFloat(-1, 1);
        return Tensor.of(Shape.of(rows, columns), values);
    }

    public static void main(String[] arguments) {
        List<Float> costs = costs(10, 1);
        for (int step = 0; step < costs.size(); step++) System.out.println(step + " " + costs.get(step));
    }
}
