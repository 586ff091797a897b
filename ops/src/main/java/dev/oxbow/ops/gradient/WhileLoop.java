package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Functions;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.flow.EmptyTensorList;
import dev.oxbow.ops.flow.TensorListPushBack;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A While as a loop to differentiate: its body is a copy, to which lists are added as further loop variables. */
final class WhileLoop implements LoopGradient.Loop {
    private final Node node;
    private final FunctionRef condition;
    private final boolean stateful;
    private final Functions.Copy body;
    private final List<Edge> arguments;
    private final List<Edge> results;
    private final List<Edge> kept = new ArrayList<>();

    WhileLoop(Node node, FunctionRef condition, FunctionRef body, boolean stateful) {
        this.node = node;
        this.condition = condition;
        this.stateful = stateful;
        this.body = new Functions.Copy(node.graph().functions().get(body));
        this.arguments = this.body.arguments.stream().map(a -> a.edge(0)).toList();
        this.results = List.copyOf(this.body.results);
    }

    @Override
    public Graph body() {
        return body.graph;
    }

    @Override
    public int size() {
        return arguments.size();
    }

    @Override
    public Edge input(int k) {
        return node.input(k);
    }

    @Override
    public Edge output(int k) {
        return node.edge(k);
    }

    @Override
    public Edge argument(int k) {
        return arguments.get(k);
    }

    @Override
    public Edge result(int k) {
        return results.get(k);
    }

    @Override
    public Set<Node> ends() {
        return Set.of();
    }

    @Override
    public void keep(Edge e) {
        kept.add(e);
    }

    @Override
    public void keepAnything() {
        keep(Ops.in(body.graph).constant(DType.I32, 0).edge());
    }

    /** The node becomes a call of a function that makes empty lists and runs the longer loop. */
    @Override
    public List<Edge> finish() {
        Graph outside = new Graph(node.graph().functions());
        List<Node> outsideArguments = new ArrayList<>();
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : node.inputs()) {
            Node a = outside.argument("x_" + inputs.size(), inputs.size(), e.type());
            outsideArguments.add(a);
            inputs.add(a.edge(0));
        }
        Ops ops = Ops.in(outside);
        List<TensorType> types = new ArrayList<>(node.outputs());
        for (Edge e : kept) {
            TensorType t = e.type().deref(), list = TensorType.handle(DType.VARIANT, t);
            Value empty = Value.apply(
                    new EmptyTensorList(t.dtype()), LoopGradient.shape(ops, t.shape()), ops.constant(DType.I32, -1));
            inputs.add(empty.edge());
            types.add(list);
            Value before = Value.of(body.argument("list", list));
            body.results.add(Value.apply(new TensorListPushBack(t.dtype()), before, Value.of(e))
                    .edge());
        }
        Function test = node.graph().functions().get(condition);
        int[] order =
                IntStream.range(0, inputs.size()).map(i -> i < size() ? i : -1).toArray();
        List<TensorType> argumentTypes =
                body.arguments.stream().map(a -> a.output(0)).toList();
        Function longer = new Functions.Copy(test, order, argumentTypes).finish(test.name() + "_lists");
        List<Value> out = ControlFlow.loop(outside, inputs, types, longer, body.finish("while_body_lists"), stateful);
        List<Edge> results = out.stream().map(Value::edge).toList();
        Function f = Functions.add(outside, "while_lists", outsideArguments, results, List.of());
        int before = node.outputCount();
        List<DType> dtypes = Functions.dtypes(results);
        node.graph()
                .widen(
                        node,
                        stateful
                                ? new StatefulPartitionedCall(dtypes, Functions.ref(f))
                                : new PartitionedCall(dtypes, Functions.ref(f)));
        List<Edge> lists = new ArrayList<>();
        for (int i = 0; i < kept.size(); i++) lists.add(node.edge(before + i));
        return lists;
    }
}
