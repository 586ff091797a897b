package dev.oxbow.benchmarks;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A large model whose start values are made of their names, with data that lie where it runs. */
final class CardModel implements AutoCloseable {
    final Ops ops = Ops.in(new Graph());
    private final Map<Parameter, Supplier<Tensor>> parameters = new LinkedHashMap<>();
    private final List<Parameter> slots = new ArrayList<>();
    private final Map<Edge, Supplier<Tensor>> feeds = new LinkedHashMap<>();
    private final Map<Edge, Tensor> there = new LinkedHashMap<>();
    private List<Node> updates = List.of();
    private Value loss;
    private Session session;

    Parameter parameter(String name, Supplier<Tensor> start, long... shape) {
        Value from = ops.placeholder(name + "/start", DType.F32, Shape.of(shape));
        Parameter p = Parameter.of(name, from);
        parameters.put(p, start);
        return p;
    }

    List<Parameter> parameters() {
        return List.copyOf(parameters.keySet());
    }

    Value input(String name, DType dtype, Supplier<Tensor> value, long... shape) {
        Value v = ops.placeholder(name, dtype, Shape.of(shape));
        feeds.put(v.edge(), value);
        return v;
    }

    /** A call is these updates, after which the loss of before is there. */
    void train(Value loss, List<Parameter> slots, List<Node> updates) {
        this.loss = loss;
        this.slots.addAll(slots);
        this.updates = updates;
    }

    CardModel openOn(Engine engine, Device device, SessionOptions options) {
        session = Session.open(ops.graph(), engine, options);
        parameters.forEach((p, start) -> {
            try (Tensor t = start.get()) {
                session.feed(ops.graph().edge(p.name() + "/start:0"), t)
                        .target(p.initialiser())
                        .run();
            }
        });
        for (Parameter p : slots) session.target(p.initialiser()).run();
        feeds.forEach((edge, value) -> there.put(edge, device.adopt(value.get())));
        return this;
    }

    void step() {
        run().run();
    }

    double stepWithLoss() {
        try (Tensor t = run().fetch(loss.edge()).run().get(0)) {
            return t.getDouble(0);
        }
    }

    /** What each stage of compilation does with a call, in words. */
    String explain() {
        return session.explain(List.copyOf(feeds.keySet()), List.of(), updates, false);
    }

    private Session.Run run() {
        Session.Run run = session.target(updates.toArray(Node[]::new));
        there.forEach(run::feed);
        return run;
    }

    @Override
    public void close() {
        session.close();
        there.values().forEach(Tensor::release);
    }
}
