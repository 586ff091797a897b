package dev.oxbow.benchmarks;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A graph over given inputs with what one call feeds, fetches and runs. */
final class OxbowModel implements Model {
    private final Inputs inputs;
    private final Workload workload;
    private final DType dtype;
    private final Ops ops = Ops.in(new Graph());
    private final Map<String, Parameter> parameters = new LinkedHashMap<>();
    private final Map<Edge, Tensor> feeds = new LinkedHashMap<>();
    private final Map<String, Value> placeholders = new LinkedHashMap<>();
    private Node[] targets = {};
    private Edge fetched;
    private Edge[] checked = {};
    private Node before;
    private boolean trains;
    private Session session;
    private double last;

    /** With floating values of a type. */
    OxbowModel(Inputs inputs, Workload workload, DType dtype) {
        this.dtype = dtype;
        this.workload = workload;
        this.inputs = inputs;
        for (Inputs.Array a : inputs.parameters()) {
            Value start = ops.placeholder(a.name() + "/start", dtype, OxbowPeer.shape(a));
            parameters.put(a.name(), Parameter.of(a.name(), start));
        }
    }

    private Tensor tensor(Inputs.Array a) {
        if (a.dtype().equals("i32")) return Tensor.ofBytes(DType.I32, OxbowPeer.shape(a), a.buffer());
        if (dtype == DType.F32) return Tensor.ofBytes(DType.F32, OxbowPeer.shape(a), a.buffer());
        float[] from = a.floats();
        Tensor t = Tensor.allocate(dtype, OxbowPeer.shape(a));
        for (int i = 0; i < from.length; i++) t.set(i, from[i]);
        return t;
    }

    Inputs inputs() {
        return inputs;
    }

    double rate() {
        return workload.rate();
    }

    Ops ops() {
        return ops;
    }

    List<Parameter> parameters() {
        return List.copyOf(parameters.values());
    }

    Parameter parameter(String name) {
        return parameters.get(name);
    }

    Value value(String parameter) {
        return parameters.get(parameter).value();
    }

    List<Value> values() {
        return parameters.values().stream().map(Parameter::value).toList();
    }

    /** A placeholder that every call feeds. */
    Value input(String name) {
        return placeholders.computeIfAbsent(name, n -> {
            Tensor t = tensor(inputs.get(n));
            Value v = ops.placeholder(n, t.dtype(), t.shape());
            feeds.put(v.edge(), t);
            return v;
        });
    }

    /** A call is a step of gradient descent that brings back the loss. */
    void descend(Value loss) {
        train(loss, Minimiser.descent(rate()).minimise(loss, parameters()).nodes());
    }

    void train(Value loss, List<Node> updates) {
        fetched = loss.edge();
        targets = updates.toArray(Node[]::new);
        trains = true;
    }

    /** A call that needs only this training loss: what runs the updates is inside. */
    void trainInside(Value loss) {
        train(loss, List.of());
    }

    /** Runs {@code node}, with all feeds, in a run of its own before each call, which then has no feeds. */
    void runBefore(Node node) {
        before = node;
    }

    /** A call computes the value and leaves it. */
    void compute(Value result) {
        targets = new Node[] {result.node()};
        checked = new Edge[] {result.edge()};
    }

    /** A call brings the first value back and computes the second. */
    void computeWith(Value result, Value left) {
        fetched = result.edge();
        targets = new Node[] {left.node()};
        checked = new Edge[] {result.edge(), left.edge()};
    }

    /** A call brings the value back. */
    void fetch(Value result) {
        fetched = result.edge();
        checked = new Edge[] {fetched};
    }

    OxbowModel open(EngineOptions devices, SessionOptions options) {
        session = Session.open(ops.graph(), devices, options);
        initialise();
        return this;
    }

    /** On the devices of an engine, with what every call feeds lying on one of them, or on the host where that is null. */
    OxbowModel openOn(Engine engine, Device device, SessionOptions options) {
        session = Session.open(ops.graph(), engine, options);
        if (device != null) feeds.replaceAll((_, t) -> device.adopt(t.retain()));
        initialise();
        return this;
    }

    private void initialise() {
        for (Map.Entry<String, Parameter> p : parameters.entrySet()) {
            Node start = p.getValue().initialiser();
            try (Tensor t = tensor(inputs.get(p.getKey()))) {
                session.feed(ops.graph().edge(p.getKey() + "/start:0"), t)
                        .target(start)
                        .run();
            }
        }
    }

    /** What each stage of compilation does with a call, in words. */
    String explain() {
        return session.explain(List.copyOf(feeds.keySet()), List.of(fetched), List.of(targets), false);
    }

    /** One call that leaves its result where it is. */
    void stepOnly() {
        run(targets.length == 0 ? new Node[] {fetched.node()} : targets).run();
    }

    private Session.Run run(Node... targets) {
        Session.Run run = session.target(targets);
        feeds.forEach(run::feed);
        return run;
    }

    @Override
    public void step() {
        Session.Run run = run(targets);
        if (before != null) {
            run(before).run();
            run = session.target(targets);
        }
        if (fetched == null) run.run();
        else
            try (Tensor t = run.fetch(fetched).run().get(0)) {
                last = t.getDouble(0);
            }
    }

    /** The loss of the last call. */
    double last() {
        return last;
    }

    @Override
    public double[] check() {
        if (trains) return Model.losses(workload.checkedCalls(), this, () -> last);
        double[] all = new double[2 * checked.length];
        for (int i = 0; i < checked.length; i++)
            try (Tensor t = run().fetch(checked[i]).run().get(0)) {
                System.arraycopy(Sums.of(t.floats()), 0, all, 2 * i, 2);
            }
        return all;
    }

    @Override
    public void close() {
        session.close();
        feeds.values().forEach(Tensor::close);
    }
}
