package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.If;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.graph.core.StatelessIf;
import dev.oxbow.graph.core.StatelessWhile;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.core.While;
import dev.oxbow.ops.flow.ToBool;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Builds branches, loops and calls from lambdas. */
public final class ControlFlow {

    /** How branches and loops are written into the graph. */
    public enum Form {
        /** If and While, with functions in the library. */
        FUNCTIONS,
        /** Switch and Merge, Enter, NextIteration and Exit, with the bodies in the graph itself. */
        SWITCHES
    }

    private static final int PARALLEL_ITERATIONS = 10;

    private ControlFlow() {}

    static Function function(Graph graph, String name, List<TensorType> arguments, UnaryOperator<List<Value>> body) {
        FunctionBuilder b = new FunctionBuilder(graph);
        List<Value> values = new ArrayList<>();
        for (TensorType t : arguments) values.add(b.argument("x_" + values.size(), t));
        List<Edge> results = results(b, () -> body.apply(values));
        require(
                b.captured().isEmpty(),
                INVALID_ARGUMENT,
                "function %s: uses %s of an outer graph; pass it as an argument",
                name,
                b.captured());
        return b.finish(name, results);
    }

    static List<Value> call(Graph graph, Function f, List<Value> arguments) {
        List<DType> types = Functions.dtypes(f.results());
        Op op = Functions.isStateful(f)
                ? new StatefulPartitionedCall(types, Functions.ref(f))
                : new PartitionedCall(types, Functions.ref(f));
        return outputs(
                graph.add(op, arguments.stream().map(FunctionBuilder::local).toList()));
    }

    private static List<Edge> results(FunctionBuilder b, Supplier<List<Value>> body) {
        return b.build(() -> {
            List<Edge> edges = new ArrayList<>();
            for (Value v : body.get()) edges.add(FunctionBuilder.local(v));
            return edges;
        });
    }

    /** The outputs of a node as values. */
    public static List<Value> outputs(Node n) {
        List<Value> values = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) values.add(Value.of(n.edge(i)));
        return values;
    }

    static List<Value> cond(
            Graph outer, Form form, Value pred, Supplier<List<Value>> then, Supplier<List<Value>> otherwise) {
        Edge p = FunctionBuilder.local(pred);
        Graph graph = p.node().graph();
        FunctionBuilder yes = new FunctionBuilder(graph), no = new FunctionBuilder(graph);
        List<Edge> thenResults = results(yes, then);
        for (Edge e : yes.captured()) no.capture(e);
        List<Edge> elseResults = results(no, otherwise);
        for (Edge e : no.captured()) yes.capture(e);
        requireAlike(thenResults, elseResults);
        List<Edge> inputs = new ArrayList<>(no.captured());
        if (form == Form.SWITCHES)
            return switches(graph, p, inputs, yes.unlisted(thenResults), no.unlisted(elseResults));
        Function f = yes.finish("cond_true", thenResults), g = no.finish("cond_false", elseResults);
        inputs.add(0, p);
        List<DType> types = Functions.dtypes(thenResults);
        Op op = Functions.isStateful(f, g)
                ? new If(types, Functions.ref(f), Functions.ref(g), List.of())
                : new StatelessIf(types, Functions.ref(f), Functions.ref(g), List.of());
        return outputs(graph.add(op, "cond", inputs));
    }

    private static void requireAlike(List<Edge> then, List<Edge> otherwise) {
        require(
                then.size() == otherwise.size(),
                INVALID_ARGUMENT,
                "cond: one branch returns %d values, the other %d",
                then.size(),
                otherwise.size());
        for (int i = 0; i < then.size(); i++)
            require(
                    then.get(i).type().dtype() == otherwise.get(i).type().dtype(),
                    INVALID_ARGUMENT,
                    "cond: result %d is %s in one branch and %s in the other",
                    i,
                    then.get(i).type(),
                    otherwise.get(i).type());
    }

    private static List<Value> switches(Graph graph, Edge pred, List<Edge> inputs, Function then, Function otherwise) {
        try (Graph.Scope _ = graph.scope("cond")) {
            Edge p = pred.type().dtype() == DType.BOOL
                    ? pred
                    : graph.add(new ToBool(), List.of(pred)).edge(0);
            List<List<Edge>> sides = new ArrayList<>();
            for (int side = 0; side < 2; side++) {
                Node pivot = graph.add(
                        new Identity(),
                        "pivot",
                        List.of(graph.add(new Switch(), List.of(p, p)).edge(side)));
                List<Edge> args = new ArrayList<>();
                for (Edge e : inputs)
                    args.add(graph.add(new Switch(), List.of(e, p)).edge(side));
                List<Edge> results = new ArrayList<>();
                for (Edge r : splice(graph, side == 0 ? otherwise : then, args, pivot)) results.add(r);
                sides.add(results);
            }
            List<Value> merged = new ArrayList<>();
            for (int i = 0; i < sides.get(0).size(); i++)
                merged.add(Value.of(graph.add(
                                new Merge(),
                                List.of(sides.get(0).get(i), sides.get(1).get(i)))
                        .edge(0)));
            return merged;
        }
    }

    /** Copies a function's body into a graph; nodes without inputs run after the pivot. */
    private static List<Edge> splice(Graph graph, Function f, List<Edge> args, Node pivot) {
        Map<Edge, Edge> fixed = new HashMap<>();
        for (int i = 0; i < args.size(); i++) fixed.put(f.arguments().get(i).edge(0), args.get(i));
        Map<Node, Node> nodes = Functions.copy(f.body(), graph, fixed, pivot.name() + "/", List.of(pivot));
        return f.results().stream().map(r -> Functions.moved(r, nodes, fixed)).toList();
    }

    static List<Value> whileLoop(
            Graph outer,
            Form form,
            java.util.function.Function<List<Value>, Value> condition,
            UnaryOperator<List<Value>> body,
            List<Value> initial) {
        require(!initial.isEmpty(), INVALID_ARGUMENT, "while: there is no loop variable");
        List<Edge> inputs = new ArrayList<>();
        for (Value v : initial) inputs.add(FunctionBuilder.local(v));
        Graph graph = inputs.get(0).node().graph();
        List<TensorType> types = new ArrayList<>();
        for (Edge e : inputs) types.add(e.type().deref());
        while (true) {
            FunctionBuilder test = new FunctionBuilder(graph), step = new FunctionBuilder(graph);
            List<Edge> go = results(test, () -> List.of(condition.apply(arguments(test, types))));
            List<Value> variables = arguments(step, types);
            for (Edge e : test.captured()) step.capture(e);
            List<Edge> next = results(step, () -> body.apply(variables));
            if (generalise(types, next)) continue;
            for (Edge e : step.captured()) test.capture(e);
            List<Edge> results = new ArrayList<>(next), all = new ArrayList<>(inputs);
            for (Edge e : step.captured()) {
                results.add(step.capture(e).edge());
                all.add(e);
            }
            if (form == Form.SWITCHES)
                return frames(graph, all, inputs.size(), test.unlisted(go), step.unlisted(results));
            Function f = test.finish("while_cond", go), g = step.finish("while_body", results);
            return loop(graph, all, types, f, g, Functions.isStateful(f, g)).subList(0, initial.size());
        }
    }

    private static List<Value> arguments(FunctionBuilder b, List<TensorType> types) {
        List<Value> values = new ArrayList<>();
        for (TensorType t : types) values.add(b.argument("variable_" + values.size(), t));
        return values;
    }

    /** Makes the variables' shapes as unknown as the body's results ask; false when they agree already. */
    private static boolean generalise(List<TensorType> types, List<Edge> next) {
        require(
                types.size() == next.size(),
                INVALID_ARGUMENT,
                "while: the body returns %d values for %d loop variables",
                next.size(),
                types.size());
        boolean changed = false;
        for (int i = 0; i < types.size(); i++) {
            TensorType was = types.get(i), is = next.get(i).type();
            require(
                    was.dtype() == is.dtype(),
                    INVALID_ARGUMENT,
                    "while: loop variable %d is %s, the body makes it %s",
                    i,
                    was,
                    is);
            Shape s = was.shape().generalise(is.shape());
            changed |= !s.equals(was.shape());
            types.set(i, was.withShape(s));
        }
        return changed;
    }

    /** A While of library functions; inputs beyond {@code types} keep the shapes they start with. */
    public static List<Value> loop(
            Graph graph, List<Edge> inputs, List<TensorType> types, Function cond, Function body, boolean stateful) {
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++)
            shapes.add((i < types.size() ? types.get(i) : inputs.get(i).type()).shape());
        FunctionRef c = Functions.ref(cond), b = Functions.ref(body);
        Op op = stateful
                ? new While(c, b, shapes, PARALLEL_ITERATIONS)
                : new StatelessWhile(c, b, shapes, PARALLEL_ITERATIONS);
        return outputs(graph.add(op, "while", inputs));
    }

    private static List<Value> frames(Graph graph, List<Edge> inputs, int variables, Function cond, Function body) {
        try (Graph.Scope _ = graph.scope("while")) {
            String frame = graph.unique("while_frame");
            List<Edge> values = new ArrayList<>();
            List<Node> merges = new ArrayList<>();
            for (int i = 0; i < inputs.size(); i++) {
                boolean constant = i >= variables;
                Edge enter = graph.add(new Enter(frame, constant, PARALLEL_ITERATIONS), List.of(inputs.get(i)))
                        .edge(0);
                if (constant) {
                    values.add(enter);
                    continue;
                }
                List<Edge> in = new ArrayList<>(List.of(enter));
                in.add(null);
                Node merge = graph.add(new Merge(), in);
                merges.add(merge);
                values.add(merge.edge(0));
            }
            Edge go = splice(graph, cond, values, merges.get(0)).get(0);
            if (go.type().dtype() != DType.BOOL)
                go = graph.add(new ToBool(), List.of(go)).edge(0);
            Edge pred = graph.add(new LoopCond(), List.of(go)).edge(0);
            List<Edge> inside = new ArrayList<>(values);
            List<Value> exits = new ArrayList<>();
            Node pivot = null;
            for (int i = 0; i < variables; i++) {
                Node s = graph.add(new Switch(), List.of(values.get(i), pred));
                Node value = graph.add(new Identity(), List.of(s.edge(1)));
                if (pivot == null) pivot = value;
                inside.set(i, value.edge(0));
                exits.add(Value.of(graph.add(new Exit(), List.of(s.edge(0))).edge(0)));
            }
            List<Edge> next = splice(graph, body, inside, pivot);
            for (int i = 0; i < variables; i++)
                graph.connectBack(
                        merges.get(i),
                        1,
                        graph.add(new NextIteration(), List.of(next.get(i))).edge(0));
            return exits;
        }
    }
}
