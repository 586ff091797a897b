package dev.oxbow.graph.pass;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Case;
import dev.oxbow.graph.core.FunctionCall;
import dev.oxbow.graph.core.If;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.graph.core.StatefulPartitionedCall;
import dev.oxbow.graph.core.StatelessCase;
import dev.oxbow.graph.core.StatelessIf;
import dev.oxbow.graph.core.StatelessWhile;
import dev.oxbow.graph.core.While;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Replaces calls, If, Case and While by the bodies of their functions and Switch, Merge, Enter, Exit and
 * NextIteration. A call that would expand itself again is left to run time. Nodes of a body that change state, and its
 * control results, become roots: they run whether or not their outputs are used.
 *
 * <p>Control flow that is marked for it and stands outside of functions is lowered first, and what the roots do not need
 * then goes: of a branch only what leads to the values that are read runs, as if it had been written with Switch and Merge.
 */
public final class Inline implements Rewrite {

    /** What marks an entry of a loop that TensorFlow runs as calls of its body, one after the other. */
    static final String IN_ORDER = "_in_order";

    /** The attribute of nodes that TensorFlow replaces by Switch and Merge before it looks at what a run needs. */
    private static final String LOWERED = "_lower_using_switch_merge";

    /** Expansion beyond this depth is left to run time. */
    private static final int DEEPEST = 200;

    @Override
    public String name() {
        return "inline";
    }

    @Override
    public String purpose() {
        return "expand calls, branches and loops of functions";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        boolean any = false;
        for (Node n : s.graph().nodes()) any |= isCall(n.op());
        if (!any) return s;
        CalledNodes.check(s);
        Set<Node> kept = new HashSet<>(s.roots()); // whoever runs the node itself wants all that it does
        Predicate<Node> lowered = n -> isLowered(n) && !kept.contains(n);
        Subgraph flat = s;
        if (s.graph().nodes().stream().anyMatch(lowered)) flat = new Prune().run(inlined(s, lowered, false), services);
        return inlined(flat, n -> isCall(n.op()), true);
    }

    static boolean isLowered(Node n) {
        return Boolean.TRUE.equals(n.extras().get(LOWERED)) && isCall(n.op());
    }

    /** Whether this entry of a loop is one of a While whose iterations TensorFlow runs one after the other. */
    public static boolean isInOrder(Node enter) {
        return enter.extras().containsKey(IN_ORDER);
    }

    private static Subgraph inlined(Subgraph s, Predicate<Node> expands, boolean keepsEffects) {
        Graph out = new Graph(s.graph().functions());
        Inliner inline = new Inliner(out, expands, keepsEffects);
        Rewriter w = new Rewriter(s.graph(), out);
        for (Node n : s.graph().nodes()) inline.emit(n, n.name(), w, null);
        w.connectBack();
        for (Node r : s.roots()) inline.roots.add(w.node(r));
        return new Subgraph(out, List.copyOf(inline.roots));
    }

    /** Whether this op calls functions by name, and is expanded here. */
    public static boolean isCall(Op op) {
        return !functions(op).isEmpty();
    }

    /** Whether a call of these functions, from inside of those on the stack, is left to run time. */
    static boolean isLeft(List<FunctionRef> called, ArrayDeque<String> stack) {
        return stack.size() > DEEPEST || called.stream().anyMatch(f -> stack.contains(f.name()));
    }

    static List<FunctionRef> functions(Op op) {
        return switch (op) {
            case PartitionedCall c -> List.of(c.f());
            case StatefulPartitionedCall c -> List.of(c.f());
            case FunctionCall c -> List.of(c.function());
            case If c -> List.of(c.thenBranch(), c.elseBranch());
            case StatelessIf c -> List.of(c.thenBranch(), c.elseBranch());
            case Case c -> c.branches();
            case StatelessCase c -> c.branches();
            case While c -> List.of(c.cond(), c.body());
            case StatelessWhile c -> List.of(c.cond(), c.body());
            default -> List.of();
        };
    }

    /** The nodes of a body, by id, that its results and effects need. */
    static boolean[] needed(Function f) {
        Set<Node> roots = new LinkedHashSet<>(f.controlResults());
        f.results().forEach(r -> roots.add(r.node()));
        for (Node n : f.body().nodes()) if (n.op().effects() == Effects.WRITES) roots.add(n);
        return Cut.needed(new Subgraph(f.body(), List.copyOf(roots)));
    }
}
