package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Functions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.flow.TensorListLength;
import dev.oxbow.ops.flow.TensorListPopBack;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The gradient of a loop of either kind: a While that goes through the iterations backwards. */
final class LoopGradient {

    /*
     * The forward loop pushes every value that the gradient of its body asks for onto a list, one item for each
     * iteration; the lists leave the loop with its results. The gradient loop carries the gradients of the loop
     * variables, and the lists, from which each of its iterations pops what it needs. It runs as often as the lists
     * are long. In a nested loop the lists are themselves values that the outer loop keeps in lists.
     */

    /** A loop as seen from the graph around it ("outer") and from its body. */
    interface Loop {
        /** The graph that the body is in. */
        Graph body();

        int size();

        /** What variable {@code k} starts with, outer. */
        Edge input(int k);

        /** What variable {@code k} ends with, outer; null when that is not visible or never changes. */
        Edge output(int k);

        /** Variable {@code k} at the start of an iteration, in the body. */
        Edge argument(int k);

        /** Variable {@code k} at the end of an iteration, in the body; its argument if it never changes. */
        Edge result(int k);

        /** Nodes at which the body begins. */
        Set<Node> ends();

        /** Asks for a list of the values of an edge of the body that is never dead. */
        void keep(Edge e);

        /** Keeps something small, so that there is a list to count. */
        void keepAnything();

        /** Writes the lists into the loop; outer edges of them, in the order they were asked for. */
        List<Edge> finish();
    }

    private final Backprop outer;
    private final Loop loop;
    private final Graph inner;
    private final Guards guards;
    private final List<Node> arguments = new ArrayList<>();
    private final Map<Edge, Value> captured = new HashMap<>();
    private final List<Value> popped = new ArrayList<>();
    private final Map<Value, Edge> fixed = new LinkedHashMap<>();
    private final List<Integer> listArguments = new ArrayList<>();
    private final List<Integer> fixedArguments = new ArrayList<>();
    private final LoopProducts products;

    private LoopGradient(Backprop outer, Loop loop) {
        this.outer = outer;
        this.loop = loop;
        this.inner = new Graph(outer.target().functions());
        this.guards = outer.guards(loop.body());
        this.products = new LoopProducts(inner, this::argument);
    }

    /** The gradients of what the variables start with, given those of what they end with; null where there is none. */
    static Value[] of(Backprop outer, Loop loop, Value[] dys, boolean[] wanted) {
        return new LoopGradient(outer, loop).build(dys, wanted);
    }

    private Value[] build(Value[] dys, boolean[] wanted) {
        List<Integer> variables = variables(dys, wanted);
        Value[] dxs = new Value[loop.size()];
        if (variables.isEmpty()) return dxs;
        Value count = argument("count", new TensorType(DType.I32, Shape.SCALAR));
        List<Edge> ys = new ArrayList<>(), xs = new ArrayList<>();
        List<Value> gradients = new ArrayList<>();
        for (int k : variables) {
            ys.add(loop.result(k));
            xs.add(loop.argument(k));
            TensorType t = loop.result(k).type();
            gradients.add(argument("d_" + k, gradientType(t)));
        }
        List<Value> next = outer.inner(loop.body(), inner, this::capture).run(ys, gradients, xs, loop.ends());
        List<Edge> results = new ArrayList<>();
        results.add(count.minus(1).edge());
        for (int i = 0; i < next.size(); i++) {
            Value d = next.get(i);
            if (d != null) d = products.takeFrom(i, gradients.get(i), d);
            results.add((d != null ? d : Filled.zeros(capture(xs.get(i)))).edge());
        }
        Edge[] all = new Edge[arguments.size()];
        for (int i = 0; i < results.size(); i++) all[i] = results.get(i);
        for (int i = 0; i < popped.size(); i++)
            all[listArguments.get(i)] = popped.get(i).edge();
        for (int i : fixedArguments) all[i] = arguments.get(i).edge(0);
        products.results(all);
        if (popped.isEmpty()) loop.keepAnything();
        return emit(List.of(all), variables, dys, dxs);
    }

    private Value[] emit(List<Edge> results, List<Integer> variables, Value[] dys, Value[] dxs) {
        List<Edge> lists = loop.finish();
        Edge[] inputs = new Edge[arguments.size()];
        inputs[0] = Value.apply(new TensorListLength(), outer.captured(lists.get(0)))
                .edge();
        for (int i = 0; i < variables.size(); i++) {
            int k = variables.get(i);
            Value start = dys[k];
            if (start == null) {
                Edge like = loop.output(k) != null ? loop.output(k) : loop.input(k);
                start = Filled.zeros(outer.captured(like));
            }
            inputs[1 + i] = start.edge();
        }
        for (int i = 0; i < popped.size(); i++)
            inputs[listArguments.get(i)] = outer.captured(lists.get(i)).edge();
        int f = 0;
        for (Edge e : fixed.values())
            inputs[fixedArguments.get(f++)] = outer.captured(e).edge();
        products.inputs(inputs, i -> outer.captured(loop.input(variables.get(i))));
        Function body = Functions.add(inner, "while_grad_body", arguments, results, List.of());
        List<Value> out = ControlFlow.loop(
                outer.target(), List.of(inputs), types(), condition(), body, Functions.isStateful(body));
        for (int i = 0; i < variables.size(); i++) {
            int k = variables.get(i);
            dxs[k] = products.end(i, out, out.get(1 + i), dys[k] == null);
        }
        return dxs;
    }

    private List<TensorType> types() {
        return arguments.stream().map(a -> a.output(0)).toList();
    }

    private Function condition() {
        Graph g = new Graph(inner.functions());
        List<Node> args = new ArrayList<>();
        for (Node a : arguments) args.add(g.argument(a.name(), args.size(), a.output(0)));
        Value count = Value.of(args.get(0).edge(0));
        Value more = count.greater(count.constantLike(0));
        return Functions.add(g, "while_grad_cond", args, List.of(more.edge()), List.of());
    }

    /** A gradient may have another static shape from iteration to iteration, so only its dtype is known. */
    private static TensorType gradientType(TensorType t) {
        if (t.dtype() == DType.RESOURCE)
            return TensorType.of(
                    t.behind().isEmpty() ? DType.F32 : t.behind().get(0).dtype());
        return t.dtype() == DType.VARIANT ? t.deref() : TensorType.of(t.dtype());
    }

    /** Those whose gradient is not zero by construction and leads to a wanted one. */
    private List<Integer> variables(Value[] dys, boolean[] wanted) {
        int n = loop.size();
        BitSet[] needs = new BitSet[n];
        Map<Edge, Integer> index = new HashMap<>();
        for (int k = 0; k < n; k++) index.put(loop.argument(k), k);
        for (int k = 0; k < n; k++) needs[k] = reached(loop.result(k), index);
        BitSet live = new BitSet(), useful = new BitSet();
        for (int k = 0; k < n; k++) {
            live.set(k, dys[k] != null);
            useful.set(
                    k,
                    wanted[k]
                            && Backprop.isDifferentiable(loop.argument(k).type().dtype()));
        }
        for (boolean changed = true; changed; ) {
            int before = live.cardinality() + useful.cardinality();
            for (int k = 0; k < n; k++) {
                if (live.get(k)) live.or(needs[k]);
                if (needs[k].intersects(useful)) useful.set(k);
            }
            changed = live.cardinality() + useful.cardinality() != before;
        }
        live.and(useful);
        return live.stream().boxed().toList();
    }

    /** The arguments that a result depends on by differentiable values. */
    private BitSet reached(Edge result, Map<Edge, Integer> index) {
        BitSet found = new BitSet();
        Set<Node> seen = new HashSet<>();
        List<Edge> work = new ArrayList<>(List.of(result));
        while (!work.isEmpty()) {
            Edge e = work.removeLast();
            if (!Backprop.isDifferentiable(e.type().dtype())) continue;
            Integer k = index.get(e);
            if (k != null) found.set(k);
            Node n = e.node();
            if (k != null || loop.ends().contains(n) || n.op() instanceof NotDifferentiable || !seen.add(n)) continue;
            work.addAll(n.inputs());
        }
        return found;
    }

    private Value argument(String name, TensorType type) {
        Node n = inner.argument(name, arguments.size(), type);
        arguments.add(n);
        return Value.of(n.edge(0));
    }

    private Value capture(Edge e) {
        Value v = captured.get(e);
        if (v != null) return v;
        if (e.node().op() instanceof Const c) {
            v = Value.of(inner.add(c, e.node().name(), List.of()).edge(0));
        } else {
            int k = unchanging(e);
            v = k >= 0 ? fixed(e, k) : popped(e);
        }
        captured.put(e, v);
        return v;
    }

    private int unchanging(Edge e) {
        for (int k = 0; k < loop.size(); k++)
            if (loop.argument(k).equals(e) && loop.result(k).equals(e)) return k;
        return -1;
    }

    private Value fixed(Edge e, int k) {
        fixedArguments.add(arguments.size());
        Value v = argument("fixed_" + k, e.type().deref());
        fixed.put(v, loop.input(k));
        return v;
    }

    private Value popped(Edge e) {
        Edge alive = guards.alive(e);
        loop.keep(alive);
        listArguments.add(arguments.size());
        TensorType t = alive.type().deref();
        Value list = argument("list_" + popped.size(), TensorType.handle(DType.VARIANT, t));
        List<Value> both = Value.applyAll(new TensorListPopBack(t.dtype()), list, shape(list.ops(), t.shape()));
        popped.add(both.get(0));
        return guards.guarded(e, both.get(1), this::capture);
    }

    static Value shape(Ops ops, Shape s) {
        if (!s.isRankKnown()) return ops.constant(DType.I32, -1);
        int[] dims = new int[s.rank()];
        for (int i = 0; i < dims.length; i++) dims[i] = (int) s.dim(i);
        return ops.constant(Tensor.of(Shape.of(dims.length), dims));
    }
}
