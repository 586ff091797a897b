package dev.oxbow.parallel;

import static dev.oxbow.parallel.Layout.BROADCAST;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the layout of every edge of a graph on whole values: those of feeds are given, the others follow. */
final class Layouts {

    /*
     * Forward in the order of nodes. A loop variable is first taken to be laid out as it enters; when the back edge turns
     * out to be laid out otherwise, both are joined and the walk begins again. Joins only go up (broadcast, then split or
     * partial, then broadcast for good), so that it ends.
     *
     * A partial value that some reader wants whole is made whole for all of them, since it travels anyway. Then backward:
     * what everybody would compute whole only to keep a piece of it (masks of dropout, gradients of means, zeros) is
     * computed in pieces.
     */

    private static final int MOST_WALKS = 1000;

    private final List<Node> nodes;
    private final Rules rules;
    private final List<Layout> feeds;
    private final Rule[] of;
    /** What loop variables were found to be, by the number of their Merge. */
    private final Map<Integer, Layout> variables = new HashMap<>();

    private final Set<Integer> fixed = new HashSet<>();
    /** Partial values that are made whole where they are made. */
    private final Set<Edge> early = new HashSet<>();

    private Layouts(Graph graph, Rules rules, List<Layout> feeds) {
        this.nodes = graph.nodes();
        this.rules = rules;
        this.feeds = feeds;
        this.of = new Rule[nodes.size()];
    }

    static Layouts find(Subgraph s, Rules rules, List<Layout> feeds) {
        Layouts all = new Layouts(s.graph(), rules, feeds);
        for (int walk = 0; ; walk++) {
            require(walk < MOST_WALKS, INTERNAL, "Layouts: no end after %d walks", walk);
            OxbowException refusal = all.walk();
            if (all.closeLoops()) continue;
            if (refusal != null) throw refusal;
            if (!all.makeWholeEarly()) break;
        }
        all.turnBack();
        all.pull(new HashSet<>(s.roots()));
        return all;
    }

    Rule rule(Node n) {
        return of[n.id()];
    }

    /** The layout in which an edge is made. */
    Layout made(Edge e) {
        return of[e.node().id()].gives()[e.port()];
    }

    /** The layout in which readers see an edge that they want as it is. */
    Layout of(Edge e) {
        return early.contains(e) ? BROADCAST : made(e);
    }

    /** Whether the readers of an edge want it made whole. */
    boolean isEarly(Edge e) {
        return early.contains(e) && made(e).isPartial();
    }

    /** Whether an op hands its only input on. */
    static boolean passes(Op op) {
        return op instanceof Identity || op instanceof Enter || op instanceof Exit || op instanceof NextIteration;
    }

    /** What both can become without talking to others; null where there is nothing. */
    static Layout join(Layout a, Layout b) {
        if (a.equals(b) || b.isBroadcast()) return a;
        return a.isBroadcast() ? b : null;
    }

    /** The first refusal of a rule, which may be gone when loops are closed; or null. */
    private OxbowException walk() {
        OxbowException refusal = null;
        for (Node n : nodes) {
            Layout[] in = new Layout[n.inputCount()];
            for (int i = 0; i < in.length; i++) {
                Edge e = n.input(i);
                in[i] = e.node().id() >= n.id() ? null : of(e);
            }
            if (n.op() instanceof Arg a) of[n.id()] = Rule.of(new Layout[0], feeds.get(a.index()));
            else if (Frames.isMerge(n.op())) of[n.id()] = merge(n, in);
            else
                try {
                    of[n.id()] = rules.of(n, in);
                } catch (OxbowException e) {
                    if (refusal == null) refusal = e;
                    of[n.id()] = Rules.whole(n);
                }
        }
        return refusal;
    }

    private Rule merge(Node n, Layout[] in) {
        Layout all = variables.getOrDefault(n.id(), BROADCAST);
        for (Layout l : in) {
            if (l == null || fixed.contains(n.id())) continue;
            all = join(all, l);
            if (all == null) fixed.add(n.id());
        }
        if (fixed.contains(n.id())) all = BROADCAST;
        return Rule.of(Rule.all(in.length, all), all, BROADCAST);
    }

    /** Joins what loop variables are with what comes back; whether any changed. */
    private boolean closeLoops() {
        boolean changed = false;
        for (Node n : nodes) {
            if (!Frames.isLoopMerge(n)) continue;
            Layout now = of[n.id()].gives()[0];
            for (Edge e : n.inputs()) {
                if (e.node().id() < n.id() || fixed.contains(n.id())) continue;
                Layout next = join(now, of(e));
                if (next == null) {
                    fixed.add(n.id());
                    next = BROADCAST;
                }
                changed |= !next.equals(now);
                variables.put(n.id(), next);
                now = next;
            }
        }
        return changed;
    }

    /** Lets what goes back in a loop be laid out as the variable is, in front of where it goes back. */
    private void turnBack() {
        for (Node n : nodes) {
            if (!Frames.isLoopMerge(n)) continue;
            Layout l = of[n.id()].gives()[0];
            for (Edge e : n.inputs())
                if (Frames.isNext(e.node().op())) of[e.node().id()] = Rule.of(new Layout[] {l}, l);
        }
    }

    private boolean makeWholeEarly() {
        int before = early.size();
        for (Node n : nodes) {
            for (int i = 0; i < n.inputCount(); i++) {
                Edge e = n.input(i);
                if (of(e).isPartial() && !of[n.id()].wants()[i].isPartial()) early.add(e);
            }
        }
        return early.size() > before;
    }

    /** Lets nodes compute pieces of what nobody wants whole. */
    private void pull(Set<Node> roots) {
        Map<Edge, List<int[]>> readers = new HashMap<>();
        for (Node n : nodes)
            for (int i = 0; i < n.inputCount(); i++)
                readers.computeIfAbsent(n.input(i), _ -> new ArrayList<>()).add(new int[] {n.id(), i});
        boolean again = true;
        while (again) {
            again = false;
            for (Node n : nodes.reversed()) {
                if (roots.contains(n) || n.outputCount() == 0 || of[n.id()].isApart()) continue;
                Layout wanted = wanted(n, readers);
                Rule rule = wanted == null ? null : rules.pulled(n, wanted);
                if (rule == null) continue;
                of[n.id()] = rule;
                again |= Frames.isEnter(n.op());
            }
        }
    }

    /** What all readers of the outputs of a node want, where that is the same and not the whole; else null. */
    private Layout wanted(Node n, Map<Edge, List<int[]>> readers) {
        Layout wanted = null;
        for (int port = 0; port < n.outputCount(); port++) {
            for (int[] r : readers.getOrDefault(n.edge(port), List.of())) {
                Layout l = of[r[0]].wants()[r[1]];
                if (l.isBroadcast() || wanted != null && !wanted.equals(l)) return null;
                wanted = l;
            }
        }
        return wanted;
    }
}
