package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.Rank;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Starts values in a graph: constants, placeholders, variables, and ops without inputs.
 *
 * {@snippet :
 * Ops ops = Ops.in(new Graph());
 * Value n = ops.constant(DType.I32, 10);
 * List<Value> sum = ops.whileLoop(
 *         v -> v.get(0).less(n), v -> List.of(v.get(0).plus(1), v.get(1).plus(v.get(0))), List.of(ops.constant(0), ops.constant(0)));
 * }
 */
public final class Ops {
    private final Graph graph;

    private Ops(Graph graph) {
        this.graph = graph;
    }

    public static Ops in(Graph graph) {
        return new Ops(graph);
    }

    public Graph graph() {
        return graph;
    }

    /** An op by its wire name, with attributes that do not follow from its inputs. */
    public static Op named(String wireName, Map<String, Object> attributes) {
        OpDefinition d = OpRegistry.get().definition(wireName);
        require(d != null, UNIMPLEMENTED, "no provider has the op %s", wireName);
        return d.create(attributes);
    }

    /** Adds any op; the values are its outputs. */
    public List<Value> add(Op op, Value... inputs) {
        List<Edge> edges = Arrays.stream(inputs).map(FunctionBuilder::local).toList();
        Node n = (edges.isEmpty() ? graph : edges.get(0).node().graph()).add(op, edges);
        return IntStream.range(0, n.outputCount())
                .mapToObj(i -> new Value(n.edge(i)))
                .toList();
    }

    public Value constant(Tensor value) {
        return new Value(graph.add(new Const(value), List.of()).edge(0));
    }

    public Value constant(float value) {
        return constant(Tensor.scalar(value));
    }

    public Value constant(int value) {
        return constant(Tensor.scalar(value));
    }

    /** A vector. */
    public Value constant(int... values) {
        return constant(Tensor.of(Shape.of(values.length), values));
    }

    /** A scalar of any numeric dtype. */
    public Value constant(DType dtype, double value) {
        Tensor t = Tensor.allocate(dtype, Shape.SCALAR);
        t.set(0, value);
        return constant(t);
    }

    /** A value that is fed; dimensions of -1 may be anything. */
    public Value placeholder(DType dtype, Shape shape) {
        return new Value(graph.add(new Placeholder(dtype, shape), List.of()).edge(0));
    }

    public Value placeholder(String name, DType dtype, Shape shape) {
        return new Value(
                graph.add(new Placeholder(dtype, shape), name, List.of()).edge(0));
    }

    /** All axes of a value: a constant when its rank is known, else counted at run time. */
    Value allAxes(Value v) {
        if (v.shape().isRankKnown()) {
            int[] all = new int[v.shape().rank()];
            Arrays.setAll(all, i -> i);
            return constant(Tensor.of(Shape.of(all.length), all));
        }
        Value rank = Value.apply(new Rank(), v);
        Value zero = constant(DType.I32, 0), one = constant(DType.I32, 1);
        return Value.apply(new Range(), zero, rank, one);
    }

    /** A function of the library: {@code body} gets one value for each argument type and returns the results. */
    public Function function(String name, List<TensorType> arguments, UnaryOperator<List<Value>> body) {
        return ControlFlow.function(graph, name, arguments, body);
    }

    /** Calls a function. */
    public List<Value> call(Function f, Value... arguments) {
        return ControlFlow.call(graph, f, List.of(arguments));
    }

    /** What {@code then} or {@code otherwise} returns, whichever {@code pred} chooses; only that one runs. */
    public List<Value> cond(Value pred, Supplier<List<Value>> then, Supplier<List<Value>> otherwise) {
        return cond(ControlFlow.Form.FUNCTIONS, pred, then, otherwise);
    }

    public List<Value> cond(
            ControlFlow.Form form, Value pred, Supplier<List<Value>> then, Supplier<List<Value>> otherwise) {
        return ControlFlow.cond(graph, form, pred, then, otherwise);
    }

    /** The values that {@code body} makes of {@code initial} as long as {@code condition} holds of them. */
    public List<Value> whileLoop(
            java.util.function.Function<List<Value>, Value> condition,
            UnaryOperator<List<Value>> body,
            List<Value> initial) {
        return whileLoop(ControlFlow.Form.FUNCTIONS, condition, body, initial);
    }

    public List<Value> whileLoop(
            ControlFlow.Form form,
            java.util.function.Function<List<Value>, Value> condition,
            UnaryOperator<List<Value>> body,
            List<Value> initial) {
        return ControlFlow.whileLoop(graph, form, condition, body, initial);
    }
}
