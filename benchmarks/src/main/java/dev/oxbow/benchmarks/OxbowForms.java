package dev.oxbow.benchmarks;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.array.Unpack;
import dev.oxbow.ops.flow.TensorListFromTensor;
import dev.oxbow.ops.flow.TensorListGetItem;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.nn.BlockLSTMV2;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The perceptron fed by a queue and inside a loop, and the LSTM unrolled, as a while loop and as one op. */
final class OxbowForms {
    private OxbowForms() {}

    /** Each call enqueues the batch in one run and trains on a dequeued one in another. */
    static void queue(OxbowModel m) {
        Graph g = m.ops().graph();
        Value x = m.input("x"), y = m.input("y");
        List<DType> types = List.of(x.dtype(), y.dtype());
        List<Shape> shapes = List.of(x.shape(), y.shape());
        Edge queue = g.add(new FIFOQueueV2(types, shapes, 2, "", ""), List.of()).edge(0);
        m.runBefore(g.add(new QueueEnqueueV2(-1), List.of(queue, x.edge(), y.edge())));
        Node dequeue = g.add(new QueueDequeueV2(types, -1), List.of(queue));
        m.descend(OxbowPeer.mlp(Value.of(dequeue.edge(0)), Value.of(dequeue.edge(1)), m.values()));
    }

    /** Twenty steps in one run: a loop whose body reads the variables, updates them, and passes the loss on. */
    static void loop(OxbowModel m) {
        Graph g = m.ops().graph();
        Edge limit = enter(g, m.ops().constant(DType.I32, Workload.LOOP_STEPS).edge(), true),
                x = enter(g, m.input("x").edge(), true),
                y = enter(g, m.input("y").edge(), true);
        List<Edge> handles = new ArrayList<>();
        for (Parameter p : m.parameters()) handles.add(enter(g, p.handle().edge(), true));
        Node i = merge(g, enter(g, m.ops().constant(DType.I32, 0).edge(), false)),
                last = merge(g, enter(g, m.ops().constant(0f).edge(), false));
        Edge less = Value.of(i.edge(0)).less(Value.of(limit)).edge();
        Edge go = g.add(new LoopCond(), List.of(less)).edge(0);
        Node si = g.add(new Switch(), List.of(i.edge(0), go)), sl = g.add(new Switch(), List.of(last.edge(0), go));
        Value loss, next;
        try (var _ = g.after(g.add(new Identity(), List.of(si.edge(1))))) {
            List<Value> values = new ArrayList<>();
            for (Edge h : handles)
                values.add(Value.of(
                        g.add(new ReadVariableOp(DType.F32), List.of(h)).edge(0)));
            loss = OxbowPeer.mlp(Value.of(x), Value.of(y), values);
            List<Value> gradients = Gradients.of(List.of(loss), values);
            Node[] updates = new Node[handles.size()];
            Edge rate = m.ops().constant((float) m.rate()).edge();
            try (var _ = g.after(gradients.stream().map(Value::node).toArray(Node[]::new))) {
                for (int k = 0; k < updates.length; k++)
                    updates[k] = g.add(
                            new ResourceApplyGradientDescent(),
                            List.of(handles.get(k), rate, gradients.get(k).edge()));
            }
            try (var _ = g.after(updates)) {
                next = Value.of(si.edge(1)).plus(1);
            }
        }
        g.connectBack(i, 1, g.add(new NextIteration(), List.of(next.edge())).edge(0));
        g.connectBack(last, 1, g.add(new NextIteration(), List.of(loss.edge())).edge(0));
        m.trainInside(Value.of(g.add(new Exit(), List.of(sl.edge(0))).edge(0)));
    }

    private static Edge enter(Graph g, Edge value, boolean constant) {
        return g.add(new Enter("training", constant, 1), List.of(value)).edge(0);
    }

    private static Node merge(Graph g, Edge entry) {
        return g.add(new Merge(), Arrays.asList(entry, null));
    }

    /** All time steps written out; the products of the inputs are one product before them. */
    static Value lstm(OxbowModel m) {
        int time = m.inputs().dim("x", 0);
        Value projected = projected(m);
        List<Value> steps = Value.applyAll(new Unpack(time, 0), projected);
        List<Value> state = start(m);
        for (Value z : steps) state = cell(z, state.get(0), state.get(1), m.value("w1"));
        return loss(m, state.get(0));
    }

    /** The same as a while loop over a list of the projected inputs, differentiated through the loop. */
    static Value lstmLoop(OxbowModel m) {
        Ops ops = m.ops();
        int time = m.inputs().dim("x", 0),
                batch = m.inputs().dim("x", 1),
                width = m.inputs().dim("w0", 1);
        Value element = ops.constant(batch, width);
        Value list = Value.apply(new TensorListFromTensor(), projected(m), element);
        Value w = m.value("w1"), limit = ops.constant(DType.I32, time);
        List<Value> initial = new ArrayList<>(List.of(ops.constant(DType.I32, 0)));
        initial.addAll(start(m));
        List<Value> end = ops.whileLoop(
                v -> v.get(0).less(limit),
                v -> {
                    Value z = Value.apply(new TensorListGetItem(DType.F32), list, v.get(0), element);
                    List<Value> next = new ArrayList<>(List.of(v.get(0).plus(1)));
                    next.addAll(cell(z, v.get(1), v.get(2), w));
                    return next;
                },
                initial);
        return loss(m, end.get(1));
    }

    /** The same as one op over all of the time, in f32. */
    static OxbowModel lstmLayer(Inputs inputs) {
        OxbowModel m = new OxbowModel(inputs, Workload.LSTM, DType.F32);
        Ops ops = m.ops();
        int time = m.inputs().dim("x", 0);
        List<Value> state = start(m);
        Value w = Value.concat(0, m.value("w0"), m.value("w1"));
        Value none = ops.constant(Tensor.zeros(DType.F32, Shape.of(m.inputs().dim("w1", 0))));
        Value h = Value.applyAll(
                        new BlockLSTMV2(0, false),
                        ops.constant(Tensor.scalar((long) time)),
                        m.input("x"),
                        state.get(1),
                        state.get(0),
                        w,
                        none,
                        none,
                        none,
                        m.value("b0"))
                .get(6);
        m.descend(loss(m, h.slice(0, time - 1, 1).squeeze(0)));
        return m;
    }

    private static Value projected(OxbowModel m) {
        int time = m.inputs().dim("x", 0),
                batch = m.inputs().dim("x", 1),
                in = m.inputs().dim("x", 2);
        Value all = m.input("x").reshape((long) time * batch, in);
        return OxbowPeer.dense(all, m.value("w0"), m.value("b0"))
                .reshape(time, batch, m.inputs().dim("w0", 1));
    }

    private static List<Value> start(OxbowModel m) {
        Shape shape = Shape.of(m.inputs().dim("x", 1), m.inputs().dim("w1", 0));
        Value zero = m.ops().constant(Tensor.zeros(m.value("w1").dtype(), shape));
        return List.of(zero, zero);
    }

    /** The next hidden and cell state; gates are in the order input, forget, cell, output. */
    private static List<Value> cell(Value z, Value h, Value c, Value w) {
        Value gates = z.plus(h.matMul(w));
        List<Value> g = Value.applyAll(new Split(4), gates.ops().constant(DType.I32, 1), gates);
        Value next = c.times(g.get(1).sigmoid())
                .plus(g.get(0).sigmoid().times(g.get(2).tanh()));
        return List.of(g.get(3).sigmoid().times(next.tanh()), next);
    }

    private static Value loss(OxbowModel m, Value h) {
        return h.minus(m.input("y")).square().mean();
    }
}
