package dev.oxbow.examples;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A line through points without any layer or optimizer: nodes, their gradients, and updates that are nodes as well. */
public final class LowLevelGraph {
    private LowLevelGraph() {}

    /** Slope and offset after so many steps towards {@code y = 3 x + 2}. */
    static float[] fitted(int steps) {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1));
        Value y = ops.placeholder("y", DType.F32, Shape.of(-1));
        Parameter slope = Parameter.of("slope", ops.constant(Tensor.scalar(0f)));
        Parameter offset = Parameter.of("offset", ops.constant(Tensor.scalar(0f)));
        Value loss =
                x.times(slope.value()).plus(offset.value()).minus(y).square().mean();

        List<Parameter> parameters = List.of(slope, offset);
        List<Value> gradients = Gradients.of(
                List.of(loss), parameters.stream().map(Parameter::value).toList());
        List<Node> updates = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            Value change = gradients.get(i).times(0.1);
            updates.add(graph.add(
                    new AssignSubVariableOp(),
                    List.of(parameters.get(i).handle().edge(), change.edge())));
        }

        try (Session session = Session.open(graph);
                Tensor xs = Tensor.of(Shape.of(4), -1f, 0f, 1f, 2f);
                Tensor ys = Tensor.of(Shape.of(4), -1f, 2f, 5f, 8f)) {
            session.target(slope.initialiser(), offset.initialiser()).run();
            for (int i = 0; i < steps; i++)
                session.feed(x.edge(), xs)
                        .feed(y.edge(), ys)
                        .target(updates.toArray(Node[]::new))
                        .run();
            try (var values =
                    session.fetch(slope.value().edge(), offset.value().edge()).run()) {
                return new float[] {values.get(0).floats()[0], values.get(1).floats()[0]};
            }
        }
    }

    public static void main(String[] arguments) {
        System.out.println(Arrays.toString(fitted(200)));
    }
}
