package dev.oxbow.benchmarks;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.Gradients;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The perceptron in Oxbow: fed by the caller, fed by a queue, or as the body of a loop inside one run. */
final class OxbowMlp implements Workload {

    /** How the steps are driven. */
    enum Form {
        PLAIN,
        QUEUE,
        LOOP
    }

    /** Steps inside one run of the looped form. */
    static final int LOOP_STEPS = 20;

    private final Form form;
    private final Session session;
    private final Runnable step;
    private double loss;

    OxbowMlp(Form form, int threads) {
        this.form = form;
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        List<Parameter> parameters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Shape w = Shape.of(Data.SIZES[i], Data.SIZES[i + 1]);
            parameters.add(Parameter.of("w" + i, ops.constant(Tensor.of(w, Data.weights(i)))));
            parameters.add(Parameter.of("b" + i, ops.constant(Tensor.zeros(DType.F32, Shape.of(Data.SIZES[i + 1])))));
        }
        Tensor images = Tensor.of(Shape.of(Data.BATCH, 784), Data.images()),
                labels = Tensor.of(Shape.of(Data.BATCH, 10), Data.labels());
        session = Session.open(g, SessionOptions.defaults().withThreads(threads));
        step = switch (form) {
            case PLAIN -> plain(ops, parameters, images, labels);
            case QUEUE -> queued(ops, parameters, images, labels);
            case LOOP -> looped(ops, parameters, images, labels);
        };
        session.target(parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                .run();
    }

    private Runnable plain(Ops ops, List<Parameter> parameters, Tensor images, Tensor labels) {
        Value x = ops.placeholder("x", DType.F32, images.shape()), y = ops.placeholder("y", DType.F32, labels.shape());
        Value l = loss(x, y, parameters.stream().map(Parameter::value).toList());
        Node[] updates = Parameter.descend(l, Data.RATE, parameters).toArray(Node[]::new);
        return () -> fetch(session.feed(x.edge(), images)
                .feed(y.edge(), labels)
                .fetch(l.edge())
                .target(updates));
    }

    private Runnable queued(Ops ops, List<Parameter> parameters, Tensor images, Tensor labels) {
        List<DType> types = List.of(DType.F32, DType.F32);
        List<Shape> shapes = List.of(images.shape(), labels.shape());
        Edge queue = ops.graph()
                .add(
                        Ops.named("FIFOQueueV2", Map.of("component_types", types, "shapes", shapes, "capacity", 2L)),
                        List.of())
                .edge(0);
        Value x = ops.placeholder("x", DType.F32, images.shape()), y = ops.placeholder("y", DType.F32, labels.shape());
        Node enqueue = ops.graph().add(Ops.named("QueueEnqueueV2", Map.of()), List.of(queue, x.edge(), y.edge()));
        Node dequeue = ops.graph().add(Ops.named("QueueDequeueV2", Map.of("component_types", types)), List.of(queue));
        Value l = loss(
                Value.of(dequeue.edge(0)),
                Value.of(dequeue.edge(1)),
                parameters.stream().map(Parameter::value).toList());
        Node[] updates = Parameter.descend(l, Data.RATE, parameters).toArray(Node[]::new);
        return () -> {
            session.feed(x.edge(), images)
                    .feed(y.edge(), labels)
                    .target(enqueue)
                    .run();
            fetch(session.fetch(l.edge()).target(updates));
        };
    }

    /** Twenty steps in one run: a loop whose body reads the variables, updates them, and passes the loss on. */
    private Runnable looped(Ops ops, List<Parameter> parameters, Tensor images, Tensor labels) {
        Graph g = ops.graph();
        Value x = ops.placeholder("x", DType.F32, images.shape()), y = ops.placeholder("y", DType.F32, labels.shape());
        Edge limit = enter(g, ops.constant(DType.I32, LOOP_STEPS).edge(), true),
                xs = enter(g, x.edge(), true),
                ys = enter(g, y.edge(), true);
        List<Edge> handles =
                parameters.stream().map(p -> enter(g, p.handle().edge(), true)).toList();
        Node i = merge(g, enter(g, ops.constant(DType.I32, 0).edge(), false)),
                last = merge(g, enter(g, ops.constant(0f).edge(), false));
        Edge go = g.add(
                        new LoopCond(),
                        List.of(Value.of(i.edge(0)).less(Value.of(limit)).edge()))
                .edge(0);
        Node si = g.add(new Switch(), List.of(i.edge(0), go)), sl = g.add(new Switch(), List.of(last.edge(0), go));
        Value l;
        List<Node> updates = new ArrayList<>();
        Value next;
        try (var _ = g.after(g.add(Ops.named("Identity", Map.of()), List.of(si.edge(1))))) {
            List<Value> values = handles.stream()
                    .map(h -> Value.of(g.add(Ops.named("ReadVariableOp", Map.of("dtype", DType.F32)), List.of(h))
                            .edge(0)))
                    .toList();
            l = loss(Value.of(xs), Value.of(ys), values);
            List<Value> gradients = Gradients.of(List.of(l), values);
            Node[] all = gradients.stream().map(d -> d.edge().node()).toArray(Node[]::new);
            Value rate = ops.constant(Data.RATE);
            try (var _ = g.after(all)) {
                for (int k = 0; k < handles.size(); k++)
                    updates.add(g.add(
                            Ops.named("ResourceApplyGradientDescent", Map.of()),
                            List.of(
                                    handles.get(k),
                                    rate.edge(),
                                    gradients.get(k).edge())));
            }
            try (var _ = g.after(updates.toArray(Node[]::new))) {
                next = Value.of(si.edge(1)).plus(1);
            }
        }
        g.connectBack(i, 1, g.add(new NextIteration(), List.of(next.edge())).edge(0));
        g.connectBack(last, 1, g.add(new NextIteration(), List.of(l.edge())).edge(0));
        Edge result = g.add(new Exit(), List.of(sl.edge(0))).edge(0);
        return () -> fetch(session.feed(x.edge(), images).feed(y.edge(), labels).fetch(result));
    }

    private static Edge enter(Graph g, Edge value, boolean constant) {
        return g.add(new Enter("training", constant, 1), List.of(value)).edge(0);
    }

    private static Node merge(Graph g, Edge entry) {
        return g.add(new Merge(), Arrays.asList(entry, null));
    }

    private static Value loss(Value x, Value y, List<Value> p) {
        Value h = x;
        for (int i = 0; i < 3; i++) {
            h = Value.apply(Ops.named("BiasAdd", Map.of()), h.matMul(p.get(2 * i)), p.get(2 * i + 1));
            if (i < 2) h = h.relu();
        }
        return Value.applyAll(Ops.named("SoftmaxCrossEntropyWithLogits", Map.of()), h, y)
                .get(0)
                .mean();
    }

    private void fetch(Session.Run run) {
        try (Tensor t = run.run().get(0)) {
            loss = t.floats()[0];
        }
    }

    @Override
    public String name() {
        return "oxbow " + form.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** One training step; the looped form does twenty in one call. */
    @Override
    public void step() {
        step.run();
    }

    int stepsPerCall() {
        return form == Form.LOOP ? LOOP_STEPS : 1;
    }

    @Override
    public double result() {
        return loss;
    }

    @Override
    public void close() {
        session.close();
    }
}
