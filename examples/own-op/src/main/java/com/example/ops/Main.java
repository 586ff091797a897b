package com.example.ops;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Prints values and gradients of the op, made by its class and by its name. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Graph graph = new Graph();
        Value x = Ops.in(graph).placeholder("x", DType.F64, Shape.of(3));
        Value y = Value.apply(new Swish(2), x);
        Value named = Value.apply(Ops.named("Swish", Map.of("beta", 2f)), x);
        Value dx = Gradients.of(List.of(y.sum()), List.of(x)).getFirst();
        try (Session session = Session.open(graph);
                Tensor values = Tensor.of(Shape.of(3), -1.0, 0.0, 2.0);
                var out = session.feed(x.edge(), values).fetch(y.edge(), named.edge(), dx.edge()).run()) {
            for (Tensor t : out) System.out.println(Arrays.toString(t.doubles()));
        }
    }
}
