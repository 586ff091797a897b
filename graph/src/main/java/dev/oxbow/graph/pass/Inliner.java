package dev.oxbow.graph.pass;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Case;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.FunctionCall;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.If;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.graph.core.StatelessCase;
import dev.oxbow.graph.core.StatelessIf;
import dev.oxbow.graph.core.StatelessWhile;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.core.While;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Copies the nodes of a graph into another, and the bodies of functions in the place of their calls. */
final class Inliner {
    private final Graph out;
    private final Predicate<Node> expands;
    private final boolean keepsEffects;
    final Set<Node> roots = new LinkedHashSet<>();
    private final ArrayDeque<String> stack = new ArrayDeque<>();

    Inliner(Graph out, Predicate<Node> expands, boolean keepsEffects) {
        this.out = out;
        this.expands = expands;
        this.keepsEffects = keepsEffects;
    }

    /** Copies one node under a new name, expanding it if it is a call; {@code gate} starts nodes without any input. */
    void emit(Node n, String name, Rewriter w, Node gate) {
        List<Edge> inputs = w.inputs(n);
        List<Node> controls = w.controls(n);
        if (gate != null && inputs.isEmpty() && controls.isEmpty()) controls = List.of(gate);
        if (!expands.test(n) || Inline.isLeft(Inline.functions(n.op()), stack)) {
            Node copy = w.copy(n, new NodeSpec(name, n.op(), inputs, controls, n.device(), n.extras()));
            if (gate != null && keepsEffects && n.op().effects() == Effects.WRITES) roots.add(copy);
            return;
        }
        try {
            expand(n, new Expansion(n, name, inputs, controls), w);
        } catch (OxbowException e) {
            throw n.located(e);
        }
    }

    private void expand(Node n, Expansion x, Rewriter w) {
        switch (n.op()) {
            case PartitionedCall c -> x.call(c.f());
            case StatefulPartitionedCall c -> x.call(c.f());
            case FunctionCall c -> x.call(c.function());
            case If c -> x.branch(c.thenBranch(), c.elseBranch());
            case StatelessIf c -> x.branch(c.thenBranch(), c.elseBranch());
            case Case c -> x.select(c.branches());
            case StatelessCase c -> x.select(c.branches());
            case While c -> x.loop(c.cond(), c.body(), c.parallelIterations());
            case StatelessWhile c -> x.loop(c.cond(), c.body(), c.parallelIterations());
            default -> throw new IllegalStateException(n.op().toString());
        }
        Node done = out.derive(
                n, new NodeSpec(out.unique(x.name + "/done"), new NoOp(), List.of()).withControls(List.copyOf(x.done)));
        require(
                x.results.size() == n.outputCount(),
                INVALID_ARGUMENT,
                "its functions %s return %d values where %d are declared",
                Inline.functions(n.op()),
                x.results.size(),
                n.outputCount());
        w.replace(n, x.results, done);
    }

    /** The expansion of one call. */
    private final class Expansion {
        private final Node node;
        private final String name;
        private final List<Edge> inputs;
        private final List<Node> controls;
        private final List<Edge> results = new ArrayList<>();
        private final Set<Node> done = new LinkedHashSet<>();
        private final Set<Node> controlResults = new LinkedHashSet<>();
        private Node start;

        Expansion(Node node, String name, List<Edge> inputs, List<Node> controls) {
            this.node = node;
            this.name = name;
            this.inputs = inputs;
            this.controls = controls;
        }

        void call(FunctionRef f) {
            List<Edge> args = new ArrayList<>(inputs);
            Node gate = null;
            if (!controls.isEmpty()) {
                gate = noOp("gate", controls);
                for (int i = 0; i < args.size(); i++)
                    args.set(
                            i,
                            add("arg_" + i, new Identity(), List.of(args.get(i)), List.of(gate))
                                    .edge(0));
            } else if (!args.isEmpty()) {
                var before = new LinkedHashSet<Node>();
                args.forEach(e -> before.add(e.node()));
                gate = noOp("gate", List.copyOf(before));
            }
            List<Edge> outs = body(f, name, args, gate);
            if (done.isEmpty() && gate != null) done.add(gate);
            for (Edge r : outs)
                results.add(add("result_" + results.size(), new Identity(), List.of(r), List.of())
                        .edge(0));
        }

        void branch(FunctionRef then, FunctionRef otherwise) {
            Edge pred = toBool(inputs.get(0), controls);
            List<List<Edge>> outs = new ArrayList<>();
            for (int side = 0; side < 2; side++) {
                List<Edge> args = new ArrayList<>();
                for (int i = 1; i < inputs.size(); i++) args.add(switched(inputs.get(i), pred, side, "switch_" + i));
                outs.add(body(
                        side == 0 ? otherwise : then, name + (side == 0 ? "/else" : "/then"), args, pivot(pred, side)));
            }
            merge(outs);
        }

        void select(List<FunctionRef> branches) {
            Edge index = add("index", new Identity(), List.of(inputs.get(0)), controls)
                    .edge(0);
            List<Edge> values = new ArrayList<>(inputs.subList(1, inputs.size()));
            List<List<Edge>> outs = new ArrayList<>();
            for (int b = 0; b < branches.size(); b++) {
                if (b == branches.size() - 1) {
                    Node gate = noOp("last", List.of(index.node()));
                    outs.add(body(branches.get(b), name + "/branch_" + b, values, gate));
                    break;
                }
                Edge number = add("number", new Const(Tensor.scalar(b)), List.of(), List.of(index.node()))
                        .edge(0);
                Edge pred = add("is_" + b, named("Equal"), List.of(index, number), List.of())
                        .edge(0);
                List<Edge> taken = new ArrayList<>(), left = new ArrayList<>();
                for (int i = 0; i < values.size(); i++) {
                    taken.add(switched(values.get(i), pred, 1, "switch_" + i));
                    left.add(switched(values.get(i), pred, 0, "switch_" + i));
                }
                outs.add(body(branches.get(b), name + "/branch_" + b, taken, pivot(pred, 1)));
                index = add("index", new Identity(), List.of(switched(index, pred, 0, "switch_index")), List.of())
                        .edge(0);
                values = left;
            }
            merge(outs);
        }

        void loop(FunctionRef cond, FunctionRef body, int parallel) {
            require(!inputs.isEmpty(), INVALID_ARGUMENT, "a loop needs at least one value");
            List<Node> merges = new ArrayList<>();
            for (Edge in : inputs) {
                Node enter = out.derive(
                        node,
                        new NodeSpec(
                                out.unique(name + "/enter"),
                                new Enter(name, false, parallel),
                                List.of(in),
                                controls,
                                node.device(),
                                Inline.isLowered(node) ? Map.of() : Map.of(Inline.IN_ORDER, true)));
                List<Edge> two = new ArrayList<>(List.of(enter.edge(0)));
                two.add(null);
                merges.add(add("merge", new Merge(), two, List.of()));
            }
            List<Edge> values = new ArrayList<>();
            merges.forEach(m -> values.add(m.edge(0)));
            Node gate = noOp("cond_gate", List.of(merges.get(0)));
            List<Edge> tested = body(cond, name + "/cond", values, gate);
            require(
                    tested.size() == 1,
                    INVALID_ARGUMENT,
                    "Expected a single scalar return value from WhileOp cond, got %2$d tensors. (%1$s)",
                    cond,
                    tested.size());
            Edge go = tested.get(0);
            Edge pred = add("go", new LoopCond(), List.of(toBool(go, List.of())), List.of())
                    .edge(0);
            List<Edge> inside = new ArrayList<>();
            for (int i = 0; i < merges.size(); i++) {
                Node s = add("switch", new Switch(), List.of(merges.get(i).edge(0), pred), List.of());
                inside.add(add("value", new Identity(), List.of(s.edge(1)), List.of())
                        .edge(0));
                Node exit = add("exit", new Exit(), List.of(s.edge(0)), List.of());
                results.add(exit.edge(0));
            }
            List<Edge> next = body(
                    body,
                    name + "/body",
                    inside,
                    noOp("body_gate", List.of(inside.get(0).node())));
            require(
                    next.size() == merges.size(),
                    INVALID_ARGUMENT,
                    "While loop body returned %d arguments. Expected: %d",
                    next.size(),
                    merges.size());
            List<Node> before = keepsEffects ? List.of() : List.copyOf(controlResults);
            for (int i = 0; i < merges.size(); i++)
                out.connectBack(
                        merges.get(i),
                        1,
                        add("next", new NextIteration(), List.of(next.get(i)), before)
                                .edge(0));
            done.clear(); // nodes of the body run in its frame; the exits say when all of it has ended
            results.forEach(r -> done.add(r.node()));
        }

        private void merge(List<List<Edge>> outs) {
            for (List<Edge> o : outs)
                require(
                        o.size() == outs.getFirst().size(),
                        INVALID_ARGUMENT,
                        "its functions return %d and %d values",
                        outs.getFirst().size(),
                        o.size());
            for (int i = 0; i < outs.get(0).size(); i++) {
                List<Edge> options = new ArrayList<>();
                for (List<Edge> o : outs) options.add(o.get(i));
                results.add(add("merge_" + i, new Merge(), options, List.of()).edge(0));
            }
            Set<Node> inside = new LinkedHashSet<>(done);
            done.clear();
            results.forEach(r -> done.add(r.node()));
            // what only one branch does is dead in the other run, so it is joined through a node that dead inputs do
            // not stop
            if (!inside.isEmpty()) done.add(add("sides", new ControlTrigger(), List.of(), List.copyOf(inside)));
            else if (results.isEmpty())
                done.addAll(controls.isEmpty() ? List.of(inputs.get(0).node()) : controls);
        }

        private Edge switched(Edge value, Edge pred, int side, String label) {
            Op op = value.type().isRef() ? new RefSwitch() : new Switch();
            return add(label, op, List.of(value, pred), List.of()).edge(side);
        }

        /** A node that runs only on one side of a branch. */
        private Node pivot(Edge pred, int side) {
            return add("pivot", new Identity(), List.of(switched(pred, pred, side, "switch_pred")), List.of());
        }

        private Edge toBool(Edge e, List<Node> after) {
            if (e.type().dtype() == DType.BOOL && after.isEmpty() && !e.type().isRef()) return e;
            Op op = e.type().dtype() == DType.BOOL ? new Identity() : named("ToBool");
            return add("pred", op, List.of(e), after).edge(0);
        }

        private Node noOp(String label, List<Node> after) {
            return add(label, new NoOp(), List.of(), after);
        }

        private Node add(String label, Op op, List<Edge> in, List<Node> after) {
            return out.derive(
                    node, new NodeSpec(out.unique(name + "/" + label), op, in, after, node.device(), Map.of()));
        }

        /** Copies what the function's results and effects need; returns its results here. */
        private List<Edge> body(FunctionRef ref, String prefix, List<Edge> args, Node gate) {
            Function f = out.functions().get(ref);
            require(
                    f != null && f.arguments().size() == args.size(),
                    INVALID_ARGUMENT,
                    "function %s takes %s arguments, got %d",
                    ref.name(),
                    f == null ? "?" : f.arguments().size(),
                    args.size());
            stack.push(ref.name());
            Rewriter w = new Rewriter(f.body(), out);
            boolean[] needed = Inline.needed(f);
            for (Node n : f.body().nodes()) {
                if (n.op() instanceof Arg a) {
                    Edge arg = args.get(a.index());
                    if (arg.type().isRef()) // read here, where it is dead in a branch that is not taken
                    arg = add("arg_" + a.index(), new Identity(), List.of(arg), List.of())
                            .edge(0);
                    w.replace(n, List.of(arg), arg.node());
                } else if (needed[n.id()]) {
                    emit(n, out.unique(prefix + "/" + n.name()), w, gate == null ? start() : gate);
                    if (keepsEffects && n.op().effects() == Effects.WRITES) {
                        roots.add(w.node(n));
                        done.add(w.node(n));
                    }
                }
            }
            w.connectBack();
            stack.pop();
            for (Node c : f.controlResults()) {
                if (keepsEffects) roots.add(w.node(c));
                done.add(w.node(c));
                controlResults.add(w.node(c));
            }
            List<Edge> outs = new ArrayList<>();
            for (Edge r : f.results()) {
                outs.add(w.edge(r));
                done.add(w.edge(r).node());
            }
            return outs;
        }

        /** A call without inputs or control inputs starts at once; its nodes need no gate, but must still be told apart. */
        private Node start() {
            if (start == null) start = noOp("start", List.of());
            return start;
        }
    }

    /** One of TensorFlow's ops, which it lowers to as well; the modules that have them come after this one. */
    private static Op named(String wireName) {
        OpDefinition d = OpRegistry.get().definition(wireName);
        require(d != null, UNIMPLEMENTED, "lowering needs the op %s, which no provider has", wireName);
        return d.create(Map.of());
    }
}
