package dev.oxbow.ops.gradient;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Case;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.FunctionCall;
import dev.oxbow.graph.core.If;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.graph.core.StatelessCase;
import dev.oxbow.graph.core.StatelessIf;
import dev.oxbow.graph.core.StatelessWhile;
import dev.oxbow.graph.core.While;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Functions;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Gradients of calls, branches and loops by functions. */
final class CallGradients {

    /*
     * The gradient of a branch is a branch of the gradients of its functions. Values of a function's body that its
     * gradient asks for become further results of the function; the function that was not taken gives something
     * empty for them. A call is a branch with one function and nothing to choose by.
     */

    private final Backprop outer;
    private final Node node;
    private final int first;
    private final List<Branch> branches = new ArrayList<>();

    private CallGradients(Backprop outer, Node node, int first, List<FunctionRef> functions) {
        this.outer = outer;
        this.node = node;
        this.first = first;
        for (FunctionRef f : functions) {
            Function function = node.graph().functions().get(f);
            require(function != null, UNIMPLEMENTED, "its gradient is not written: function %s calls itself", f);
            branches.add(new Branch(function));
        }
    }

    /** The gradients of the node's inputs; null when the op calls no function. */
    static List<Value> of(Backprop outer, Node n, Value[] dys, boolean[] wanted) {
        return switch (n.op()) {
            case While w -> loop(outer, new WhileLoop(n, w.cond(), w.body(), true), dys, wanted);
            case StatelessWhile w -> loop(outer, new WhileLoop(n, w.cond(), w.body(), false), dys, wanted);
            case If i -> new CallGradients(outer, n, 1, List.of(i.thenBranch(), i.elseBranch())).build(dys, wanted);
            case StatelessIf i ->
                new CallGradients(outer, n, 1, List.of(i.thenBranch(), i.elseBranch())).build(dys, wanted);
            case Case c -> new CallGradients(outer, n, 1, c.branches()).build(dys, wanted);
            case StatelessCase c -> new CallGradients(outer, n, 1, c.branches()).build(dys, wanted);
            case PartitionedCall c -> call(outer, n, c.f(), dys, wanted);
            case StatefulPartitionedCall c -> call(outer, n, c.f(), dys, wanted);
            case FunctionCall c -> call(outer, n, c.function(), dys, wanted);
            default -> null;
        };
    }

    private static List<Value> loop(Backprop outer, WhileLoop l, Value[] dys, boolean[] wanted) {
        return Arrays.asList(LoopGradient.of(outer, l, dys, wanted));
    }

    private static List<Value> call(Backprop outer, Node n, FunctionRef f, Value[] dys, boolean[] wanted) {
        FunctionLibrary library = n.graph().functions();
        String given = library.gradient(f.name());
        if (given == null) return new CallGradients(outer, n, 0, List.of(f)).build(dys, wanted);
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs()) inputs.add(outer.captured(e).edge());
        for (int i = 0; i < dys.length; i++)
            inputs.add((dys[i] != null ? dys[i] : Filled.zeros(outer.captured(n.edge(i)))).edge());
        List<DType> types = Functions.dtypes(n.inputs());
        FunctionRef g = new FunctionRef(given, f.attributes());
        return ControlFlow.outputs(outer.target().add(new StatefulPartitionedCall(types, g), inputs));
    }

    private List<Value> build(Value[] dys, boolean[] wanted) {
        for (Branch b : branches) b.differentiate(dys, wanted);
        Set<Integer> given = new LinkedHashSet<>(), inputs = new LinkedHashSet<>();
        for (int k = first; k < wanted.length; k++)
            for (Branch b : branches) if (b.gradients.get(k - first) != null) given.add(k - first);
        Value[] dxs = new Value[node.inputCount()];
        if (given.isEmpty()) return Arrays.asList(dxs);
        for (Branch b : branches) b.fill(given);
        for (Branch b : branches) inputs.addAll(b.inputs.keySet());
        int before = widen();
        List<Edge> arguments = new ArrayList<>();
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < first; i++)
            arguments.add(outer.captured(node.input(i)).edge());
        for (int i = 0; i < dys.length; i++) {
            if (dys[i] == null) continue;
            arguments.add(dys[i].edge());
            types.add(branches.get(0).argumentType(i));
        }
        for (int k : inputs) {
            arguments.add(outer.captured(node.input(first + k)).edge());
            types.add(node.input(first + k).type().deref());
        }
        int saved = before;
        for (Branch b : branches) {
            for (Edge e : b.saved) {
                arguments.add(outer.captured(node.edge(saved++)).edge());
                // in a branch that does not give it, the value is empty
                types.add(e.type()
                        .deref()
                        .withShape(branches.size() == 1 ? e.type().shape() : Shape.UNKNOWN));
            }
        }
        List<Function> functions = new ArrayList<>();
        int skipped = 0;
        for (Branch b : branches) {
            functions.add(b.finish(given, dys, inputs, skipped, types));
            skipped += b.saved.size();
        }
        List<DType> outputs = Functions.dtypes(functions.get(0).results());
        boolean stateful = Functions.isStateful(functions.toArray(Function[]::new));
        List<FunctionRef> refs = functions.stream().map(Functions::ref).toList();
        Node gradient = outer.target().add(op(node.op(), outputs, refs, stateful), arguments);
        int at = 0;
        for (int k : given) dxs[first + k] = Value.of(gradient.edge(at++));
        return Arrays.asList(dxs);
    }

    /** Lets the node's functions give the saved values as well; returns the position of the first of them. */
    private int widen() {
        int before = node.outputCount();
        List<FunctionRef> functions = new ArrayList<>();
        List<DType> types = new ArrayList<>();
        boolean any = branches.stream().anyMatch(b -> !b.saved.isEmpty());
        if (!any) return before;
        for (Branch b : branches) {
            List<Edge> results = new ArrayList<>(b.body.results);
            for (Branch other : branches)
                for (Edge e : other.saved)
                    results.add(
                            other == b
                                    ? e
                                    : Guards.nothing(b.body.graph, e.type().dtype()));
            Function f =
                    Functions.add(b.body.graph, b.name + "_saving", b.body.arguments, results, b.body.controlResults);
            functions.add(Functions.ref(f));
            types = Functions.dtypes(results);
        }
        boolean stateful = node.op().effects() != Effects.NONE;
        node.graph().widen(node, op(node.op(), types, functions, stateful));
        return before;
    }

    private static Op op(Op like, List<DType> outputs, List<FunctionRef> f, boolean stateful) {
        return switch (like) {
            case If i -> branch(outputs, f, stateful);
            case StatelessIf i -> branch(outputs, f, stateful);
            case Case c -> select(outputs, f, stateful);
            case StatelessCase c -> select(outputs, f, stateful);
            default ->
                stateful ? new StatefulPartitionedCall(outputs, f.get(0)) : new PartitionedCall(outputs, f.get(0));
        };
    }

    private static Op branch(List<DType> outputs, List<FunctionRef> f, boolean stateful) {
        return stateful
                ? new If(outputs, f.get(0), f.get(1), List.of())
                : new StatelessIf(outputs, f.get(0), f.get(1), List.of());
    }

    private static Op select(List<DType> outputs, List<FunctionRef> f, boolean stateful) {
        return stateful ? new Case(outputs, f, List.of()) : new StatelessCase(outputs, f, List.of());
    }

    /** One function, a copy of its body that may save values, and the gradient of it being built. */
    private final class Branch {
        private final String name;
        private final Functions.Copy body;
        private final Guards guards;
        private final Graph inner;
        private final List<Node> arguments = new ArrayList<>();
        private final Map<Integer, Integer> dyArguments = new HashMap<>();
        private final Map<Integer, Integer> inputs = new HashMap<>();
        private final List<Edge> saved = new ArrayList<>();
        private final List<Integer> savedArguments = new ArrayList<>();
        private final Map<Edge, Value> captured = new HashMap<>();
        private List<Value> gradients;

        Branch(Function f) {
            name = f.name();
            body = new Functions.Copy(f);
            guards = new Guards(body.graph);
            inner = new Graph(f.body().functions());
        }

        TensorType argumentType(int dy) {
            return arguments.get(dyArguments.get(dy)).output(0);
        }

        void differentiate(Value[] dys, boolean[] wanted) {
            List<Edge> ys = new ArrayList<>(), xs = new ArrayList<>();
            List<Value> starts = new ArrayList<>();
            for (int i = 0; i < dys.length; i++) {
                if (dys[i] == null) continue;
                dyArguments.put(i, arguments.size());
                TensorType t = node.output(i);
                ys.add(body.results.get(i));
                starts.add(argument("dy_" + i, t.dtype() == DType.RESOURCE ? TensorType.of(dys[i].dtype()) : t));
            }
            for (Node a : body.arguments) xs.add(a.edge(0));
            List<Edge> asked = new ArrayList<>();
            for (int k = 0; k < xs.size(); k++) if (wanted[first + k]) asked.add(xs.get(k));
            List<Value> found = outer.inner(body.graph, inner, this::capture).run(ys, starts, asked);
            gradients = new ArrayList<>();
            int at = 0;
            for (int k = 0; k < xs.size(); k++) gradients.add(wanted[first + k] ? found.get(at++) : null);
        }

        /** Zeros for the gradients that other branches have. */
        void fill(Set<Integer> given) {
            for (int k : given)
                if (gradients.get(k) == null)
                    gradients.set(k, Filled.zeros(capture(body.arguments.get(k).edge(0))));
        }

        Function finish(Set<Integer> given, Value[] dys, Set<Integer> allInputs, int skipped, List<TensorType> types) {
            int[] order = new int[types.size()];
            Arrays.fill(order, -1);
            int at = 0;
            for (int i = 0; i < dys.length; i++) if (dys[i] != null) order[at++] = dyArguments.get(i);
            for (int k : allInputs) order[at++] = inputs.getOrDefault(k, -1);
            for (int i = 0; i < saved.size(); i++) order[at + skipped + i] = savedArguments.get(i);
            List<Edge> results = new ArrayList<>();
            for (int k : given) results.add(gradients.get(k).edge());
            Function f = Functions.of(inner, name, arguments, results, List.of());
            return new Functions.Copy(f, order, types).finish(name + "_grad");
        }

        private Value argument(String label, TensorType type) {
            Node n = inner.argument(label, arguments.size(), type);
            arguments.add(n);
            return Value.of(n.edge(0));
        }

        private Value capture(Edge e) {
            Value v = captured.get(e);
            if (v != null) return v;
            Node n = e.node();
            if (n.op() instanceof Arg a) {
                inputs.put(a.index(), arguments.size());
                v = argument("x_" + a.index(), n.output(0));
            } else if (n.op() instanceof Const
                    || n.inputCount() == 0 && e.type().dtype() == DType.RESOURCE) {
                v = Value.of(inner.add(n.op(), n.name(), List.of()).edge(e.port()));
            } else {
                Edge alive = guards.alive(e);
                savedArguments.add(arguments.size());
                saved.add(alive);
                v = guards.guarded(
                        e, argument("saved_" + saved.size(), alive.type().deref()), this::capture);
            }
            captured.put(e, v);
            return v;
        }
    }
}
