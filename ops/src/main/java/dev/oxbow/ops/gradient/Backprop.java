package dev.oxbow.ops.gradient;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.RefIdentity;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.FunctionBuilder;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.flow.ToBool;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** One backward sweep over {@code forward}, building gradients in {@code target}, which may be the same graph. */
final class Backprop {

    /*
     * What is behind the ys is put in an order in which everything follows its inputs (a depth-first search with its
     * own stack); a loop of Enters and Exits counts as one thing. Going through it once forwards finds what depends on
     * an x by differentiable values; going through that once backwards, all consumers have given their gradients
     * before the gradient of a thing is asked for. Where forward and target differ (bodies of loops and functions), a
     * forward value is brought into the target by {@code capture}.
     */

    /** Functions nested deeper than this call themselves. */
    private static final int DEEPEST = 64;

    /** What is differentiated at once. */
    private sealed interface Step {}

    private record OneNode(Node node) implements Step {}

    /** A loop of Enters and Exits. */
    private record WholeLoop(LoopFrames.Loop loop) implements Step {}

    /** A step on the stack of the search, and those of its inputs that were not looked at. */
    private record Visit(Step step, Iterator<Edge> inputs) {}

    private final Graph forward;
    private final Graph target;
    private final String sweep;
    private final int depth;
    private final Function<Edge, Value> capture;
    private final LoopFrames frames;
    private final Guards guards;
    private final Map<Edge, List<Value>> gradients = new HashMap<>();
    private final Set<Step> dependent = new HashSet<>();
    private Set<Edge> xs;

    Backprop(Graph forward, Graph target, String sweep, Function<Edge, Value> capture) {
        this(forward, target, sweep, 0, new LoopFrames(forward), new Guards(forward), capture);
    }

    private Backprop(
            Graph forward,
            Graph target,
            String sweep,
            int depth,
            LoopFrames frames,
            Guards guards,
            Function<Edge, Value> capture) {
        this.forward = forward;
        this.target = target;
        this.sweep = sweep;
        this.depth = depth;
        this.capture = capture;
        this.frames = frames;
        this.guards = guards;
    }

    /** A sweep over a body that this sweep came across; in the same graph it is the body of a loop. */
    Backprop inner(Graph body, Graph into, Function<Edge, Value> captureInto) {
        require(depth < DEEPEST, UNIMPLEMENTED, "Gradients: of functions that call themselves are not written");
        LoopFrames loops = body == forward ? frames : new LoopFrames(body);
        return new Backprop(body, into, sweep, depth + 1, loops, guards(body), captureInto);
    }

    /** What is known of dead values in a body that this sweep came across. */
    Guards guards(Graph body) {
        return body == forward ? guards : new Guards(body);
    }

    Graph forward() {
        return forward;
    }

    Graph target() {
        return target;
    }

    /** What stands for a forward value in the target. */
    Value captured(Edge e) {
        return capture.apply(e);
    }

    /** The gradient of each x, null where nothing connects; a null dy stands for zeros. */
    List<Value> run(List<Edge> ys, List<Value> dys, List<Edge> wanted) {
        return run(ys, dys, wanted, Set.of());
    }

    /** The same, looking at nothing behind the {@code ends}. */
    List<Value> run(List<Edge> ys, List<Value> dys, List<Edge> wanted, Set<Node> ends) {
        xs = new HashSet<>(wanted);
        List<Step> order = order(ys, ends);
        for (Step s : order)
            if (!(s instanceof OneNode(Node n) && ends.contains(n)) && dependsOnXs(s)) dependent.add(s);
        for (int i = 0; i < dys.size(); i++) give(ys.get(i), dys.get(i));
        for (Step s : order.reversed()) {
            if (!dependent.contains(s)) continue;
            switch (s) {
                case OneNode(Node n) -> differentiate(n);
                case WholeLoop(LoopFrames.Loop loop) -> differentiate(loop);
            }
        }
        List<Value> results = new ArrayList<>();
        for (Edge x : wanted) results.add(sum(x));
        return results;
    }

    /** Whether gradients flow along values of this dtype; handles stand for what is behind them. */
    static boolean isDifferentiable(DType t) {
        return t.isFloating() || t.isComplex() || t == DType.RESOURCE || t == DType.VARIANT;
    }

    /** The loop that a value leaves, or the node that makes it. */
    private Step step(Node n) {
        LoopFrames.Loop left = frames.left(n);
        return left != null ? new WholeLoop(left) : new OneNode(n);
    }

    private List<Step> order(List<Edge> ys, Set<Node> ends) {
        List<Step> order = new ArrayList<>();
        Deque<Visit> open = new ArrayDeque<>();
        Set<Step> seen = new HashSet<>();
        for (Edge y : ys) {
            visit(step(y.node()), ends, seen, open);
            while (!open.isEmpty()) {
                Visit v = open.peek();
                if (v.inputs.hasNext()) visit(step(v.inputs.next().node()), ends, seen, open);
                else order.add(open.pop().step);
            }
        }
        return order;
    }

    private static void visit(Step s, Set<Node> ends, Set<Step> seen, Deque<Visit> open) {
        if (seen.add(s)) open.push(new Visit(s, inputs(s, ends).iterator()));
    }

    private static List<Edge> inputs(Step step, Set<Node> ends) {
        return switch (step) {
            case OneNode(Node n) -> ends.contains(n) ? List.of() : n.inputs();
            case WholeLoop(LoopFrames.Loop loop) -> {
                List<Edge> inputs = new ArrayList<>();
                for (LoopFrames.Variable v : loop.variables) inputs.add(v.enter.input(0));
                for (Node c : loop.constants) inputs.add(c.input(0));
                yield inputs;
            }
        };
    }

    private boolean dependsOnXs(Step step) {
        if (step instanceof OneNode(Node n) && n.op() instanceof NotDifferentiable) return false;
        for (Edge e : inputs(step, Set.of())) if (dependsOnXs(e)) return true;
        return false;
    }

    private boolean dependsOnXs(Edge e) {
        return isDifferentiable(e.type().dtype()) && (dependent.contains(step(e.node())) || xs.contains(e));
    }

    private void differentiate(Node n) {
        boolean any = false;
        for (int i = 0; i < n.outputCount(); i++) any |= gradients.containsKey(n.edge(i));
        if (!any) return;
        try (Graph.Scope _ = target.scope(n.name() + "_grad");
                Graph.Scope _ = target.device(n.device())) {
            int inputs = n.inputCount();
            List<Value> dxs = switch (n.op()) {
                case Differentiable op -> op.gradient(new Context(n));
                case CoreOp op -> core(n);
                default -> throw missing();
            };
            require(dxs.size() == inputs, INTERNAL, "gives %d gradients for %d inputs", dxs.size(), inputs);
            for (int i = 0; i < dxs.size(); i++) if (dependsOnXs(n.input(i))) give(n.input(i), dxs.get(i));
        } catch (OxbowException e) {
            throw n.located(e);
        }
    }

    private List<Value> core(Node n) {
        Context g = new Context(n);
        return switch (n.op()) {
            case Identity op -> List.of(g.gradient(0));
            case RefIdentity op -> List.of(g.gradient(0));
            case Switch op -> Arrays.asList(choice(g), null);
            case Merge op -> merged(n, g);
            default -> {
                Value[] dys = new Value[n.outputCount()];
                boolean[] wanted = new boolean[n.inputCount()];
                for (int i = 0; i < dys.length; i++) dys[i] = sum(n.edge(i));
                for (int i = 0; i < wanted.length; i++) wanted[i] = dependsOnXs(n.input(i));
                List<Value> dxs = FunctionBuilder.apart(() -> CallGradients.of(this, n, dys, wanted));
                if (dxs == null) throw missing();
                yield dxs;
            }
        };
    }

    /** The gradient comes from the side that was taken; a side that nothing depends on gives zeros. */
    private static Value choice(Context g) {
        Value pred = g.input(1);
        Value[] sides = new Value[2];
        for (int i = 0; i < 2; i++) {
            if (g.hasGradient(i)) sides[i] = g.gradient(i);
            else
                sides[i] = Value.applyAll(new Switch(), Filled.zeros(g.input(0)), pred)
                        .get(i);
        }
        return Value.applyAll(new Merge(), sides).get(0);
    }

    /** The gradient goes to the input that was taken; to the others it is dead. */
    private static List<Value> merged(Node n, Context g) {
        Value dy = g.gradient(0), taken = g.output(1);
        if (n.inputCount() == 2) return Value.applyAll(new Switch(), dy, Value.apply(new ToBool(), taken));
        List<Value> dxs = new ArrayList<>();
        for (int i = 0; i < n.inputCount(); i++) {
            Value isTaken = taken.equalTo(taken.constantLike(i));
            dxs.add(Value.applyAll(new Switch(), dy, isTaken).get(1));
        }
        return dxs;
    }

    private static OxbowException missing() {
        return new OxbowException(UNIMPLEMENTED, "its gradient is not written");
    }

    private void differentiate(LoopFrames.Loop loop) {
        FrameLoop l = new FrameLoop(forward, loop);
        Value[] dys = new Value[l.size()];
        boolean[] wanted = new boolean[l.size()];
        boolean any = false;
        for (int k = 0; k < dys.length; k++) {
            dys[k] = l.output(k) == null ? null : sum(l.output(k));
            any |= dys[k] != null;
            wanted[k] = dependsOnXs(l.input(k));
        }
        if (!any) return;
        try (Graph.Scope _ = target.scope(loop.name + "_grad")) {
            Value[] dxs = FunctionBuilder.apart(() -> LoopGradient.of(this, l, dys, wanted));
            for (int k = 0; k < dxs.length; k++) if (wanted[k]) give(l.input(k), dxs[k]);
        }
    }

    private void give(Edge e, Value gradient) {
        if (gradient == null) return;
        DType t = gradient.dtype(), wanted = e.type().dtype();
        require(
                t == wanted || wanted == DType.RESOURCE,
                INTERNAL,
                "Gradients: the gradient of %s is %s, the value is %s",
                e,
                t,
                e.type());
        gradients.computeIfAbsent(e, k -> new ArrayList<>(2)).add(gradient);
    }

    /** The sum of what came back to an edge; null when nothing did. */
    private Value sum(Edge e) {
        List<Value> all = gradients.get(e);
        if (all == null) return null;
        if (all.size() > 1) {
            Value total = sum(all);
            all.clear();
            all.add(total);
        }
        return all.get(0);
    }

    private static Value sum(List<Value> all) {
        List<Slices> sparse = new ArrayList<>();
        for (Value v : all) if (v instanceof Slices s) sparse.add(s);
        if (sparse.size() == all.size()) return Slices.concat(sparse);
        return Value.apply(new AddN(), all.toArray(Value[]::new));
    }

    private final class Context implements GradientContext {
        private final Node node;

        Context(Node node) {
            this.node = node;
        }

        @Override
        public Node node() {
            return node;
        }

        @Override
        public Graph graph() {
            return target;
        }

        @Override
        public Value input(int i) {
            return capture.apply(node.input(i));
        }

        @Override
        public Value output(int i) {
            return capture.apply(node.edge(i));
        }

        @Override
        public Value gradient(int i) {
            Value dy = sum(node.edge(i));
            return dy != null ? dy : Filled.zeros(output(i));
        }

        @Override
        public boolean hasGradient(int i) {
            return gradients.containsKey(node.edge(i));
        }

        @Override
        public String sweep() {
            return sweep;
        }
    }
}
