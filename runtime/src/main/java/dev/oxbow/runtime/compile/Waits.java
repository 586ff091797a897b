package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Inline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What each node of a graph waits for, whether it may be dead, and with which others. */
final class Waits {

    /*
     * Two nodes of a frame may share a region when they have the same waiting ancestors (receives, dequeues, exits of inner
     * loops), so neither could start before the other for any reason but order: no region waits for something that a later
     * part of itself makes possible. Waiting nodes stand alone. Exits of a loop that waits for nothing inside and whose values
     * all wait for the same outside are one wait, not many, so that what follows a loop, such as the body of its gradient's
     * loop, stays in one region.
     *
     * Random ops of a loop stand alone as well where their seeds make the order of draws matter: TensorFlow runs last what
     * became ready first, so as many iterations begin as may run at a time before one of them draws, and then the last draws
     * first. Later iterations begin one by one and draw in order. Loops that wait for something else keep to the order of
     * iterations, and so do those that TensorFlow runs as calls of their body.
     */

    private final List<Node> nodes;
    private final Frames frames;
    private final int[] waits;
    private final boolean[] mayBeDead;
    private final int[] conditions;
    private final Map<Object, Integer> conditionNumbers = new HashMap<>();
    private final NodeSets sets = new NodeSets();
    private final Map<Frames.Frame, Loop> loops = new HashMap<>();
    private final boolean[] draws;
    private final boolean[] drawn;

    Waits(Graph graph, Frames frames) {
        this.nodes = graph.nodes();
        this.frames = frames;
        int n = nodes.size();
        waits = new int[n];
        mayBeDead = new boolean[n];
        conditions = new int[n];
        draws = new boolean[n];
        drawn = new boolean[n];
        for (Frames.Frame f : frames.all()) loops.put(f, new Loop());
        for (Node node : nodes) {
            if (Frames.isEnter(node.op()))
                loops.get(frames.ofOutputs(node)).enters.add(node);
            if (isWaiting(node)) setWaits(node);
        }
        for (Node node : nodes) draws[node.id()] = isDraw(node);
        for (Node node : nodes) if (draws[node.id()]) setWaits(node);
        assignDrawn();
        for (Node node : nodes) assignWaits(node);
        for (Node node : nodes) assignCondition(node);
    }

    /** Nodes of one frame with the same number run in one region. */
    long region(Node n) {
        return isApart(n) ? -1L - n.id() : waits[n.id()];
    }

    /** Whether a node is a random op of a loop that begins several iterations before one of them draws. */
    boolean draws(Node n) {
        return draws[n.id()];
    }

    /** Whether the outputs of a node may be dead. */
    boolean mayBeDead(Node n) {
        return mayBeDead[n.id()];
    }

    /** Nodes with equal conditions are dead or alive together; 0 for those that always live. */
    int condition(Node n) {
        return conditions[n.id()];
    }

    /** What is known of a loop's ends: {@code first} is the exit at which that was decided. */
    private static final class Loop {
        final List<Node> enters = new ArrayList<>();
        boolean waits;
        Node first;
        Node draw;
        boolean endsAtOnce;
        private Boolean together;

        /** Whether all values enter under the same condition; asked once those are known. */
        boolean entersTogether(int[] conditions) {
            if (together == null) {
                together = true;
                for (Node e : enters)
                    together &=
                            conditions[e.id()] == conditions[enters.getFirst().id()];
            }
            return together;
        }
    }

    private void setWaits(Node n) {
        for (Frames.Frame f = frames.of(n); f != null && !loops.get(f).waits; f = f.parent()) loops.get(f).waits = true;
    }

    private boolean isDraw(Node n) {
        Frames.Frame f = frames.of(n);
        if (n.op().effects() != Effects.RANDOM || f.parent() == null || loops.get(f).waits) return false;
        for (Node enter : loops.get(f).enters) if (Inline.isInOrder(enter)) return false;
        Map<String, Object> attributes = n.op().attributes();
        return (isSeed(attributes.get("seed")) || isSeed(attributes.get("seed2"))) && !decides(n, f);
    }

    private static boolean isSeed(Object attribute) {
        return attribute instanceof Long seed && seed != 0;
    }

    /** Whether the number of iterations depends on this node. */
    private boolean decides(Node n, Frames.Frame f) {
        Set<Node> deciding = new HashSet<>();
        ArrayDeque<Node> work = new ArrayDeque<>();
        for (Node c : nodes) if (c.op() instanceof LoopCond && frames.of(c) == f && deciding.add(c)) work.add(c);
        while (!work.isEmpty()) {
            Node d = work.poll();
            for (Edge e : d.inputs()) if (frames.of(e.node()) == f && deciding.add(e.node())) work.add(e.node());
            for (Node c : d.controls()) if (frames.of(c) == f && deciding.add(c)) work.add(c);
        }
        return deciding.contains(n);
    }

    /** Finds what depends on draws, also of the iteration before: such values of a loop are not awaited by what runs ahead. */
    private void assignDrawn() {
        boolean more = false;
        for (Node n : nodes) {
            if (!draws[n.id()]) continue;
            more = true;
            drawn[n.id()] = true;
            Loop loop = loops.get(frames.of(n));
            if (loop.draw == null) loop.draw = n;
        }
        while (more) {
            more = false;
            for (Node n : nodes) {
                boolean is = drawn[n.id()];
                for (Edge e : n.inputs()) is |= drawn[e.node().id()];
                for (Node c : n.controls()) is |= drawn[c.id()];
                more |= is && !drawn[n.id()];
                drawn[n.id()] = is;
            }
        }
    }

    private void assignWaits(Node n) {
        int set = 0;
        boolean dead = false, allDead = n.inputCount() > 0;
        for (Edge e : n.inputs()) {
            if (e.node().id() >= n.id()) continue;
            set = sets.union(set, after(e.node()));
            dead |= mayBeDead[e.node().id()];
            allDead &= mayBeDead[e.node().id()];
        }
        for (Node c : n.controls()) {
            set = sets.union(set, after(c));
            dead |= mayBeDead[c.id()];
        }
        if (drawn[n.id()] && Frames.isLoopMerge(n) && loops.get(frames.of(n)).draw != null)
            set = sets.union(set, sets.single(loops.get(frames.of(n)).draw.id()));
        waits[n.id()] = set;
        mayBeDead[n.id()] = switch (n.op()) {
            case Switch s -> true;
            case RefSwitch s -> true;
            case Recv r -> true;
            case Exit e -> true;
            case RefExit e -> true;
            case Merge m -> allDead;
            case RefMerge m -> allDead;
            case ControlTrigger c -> false;
            default -> dead;
        };
    }

    /** A condition names the switches, receives and merges above. */
    private void assignCondition(Node n) {
        int set = 0;
        for (Edge e : n.inputs()) {
            if (e.node().id() >= n.id()) continue;
            set = sets.union(set, conditions[e.node().id()]);
            boolean isSwitch = e.node().op() instanceof Switch || e.node().op() instanceof RefSwitch;
            if (isSwitch) set = sets.union(set, condition(List.of(e.node().input(1), e.port())));
        }
        for (Node c : n.controls()) set = sets.union(set, conditions[c.id()]);
        boolean own = isWaiting(n) || Frames.isExit(n.op()) || Frames.isMerge(n.op()) && !Frames.isLoopMerge(n);
        conditions[n.id()] = !own ? set : condition(livesWithItsLoop(n) ? frames.of(n) : n);
    }

    /** Whether an exit is alive exactly when its loop runs at all. */
    private boolean livesWithItsLoop(Node n) {
        if (!Frames.isExit(n.op()) || !endsAtOnce(n)) return false;
        Edge e = n.input(0);
        boolean last = e.node().op() instanceof Switch
                && e.port() == 0
                && e.node().input(1).node().op() instanceof LoopCond;
        return last && loops.get(frames.of(n)).entersTogether(conditions);
    }

    private int condition(Object what) {
        return sets.single(-1 - conditionNumbers.computeIfAbsent(what, k -> conditionNumbers.size()));
    }

    /** What must have ended before a consumer of this node can run. */
    private int after(Node n) {
        if (Frames.isExit(n.op()) && endsAtOnce(n)) {
            Loop loop = loops.get(frames.of(n));
            return sets.union(waits[loop.enters.getFirst().id()], sets.single(loop.first.id()));
        }
        boolean barrier = isApart(n) || Frames.isExit(n.op());
        return barrier ? sets.union(waits[n.id()], sets.single(n.id())) : waits[n.id()];
    }

    /** Whether nothing outside can be needed between two exits of the loop that this one ends. */
    private boolean endsAtOnce(Node exit) {
        Loop loop = loops.get(frames.of(exit));
        if (loop.first == null) {
            loop.first = exit;
            loop.endsAtOnce = !loop.waits && !loop.enters.isEmpty();
            for (Node enter : loop.enters)
                loop.endsAtOnce &= enter.id() < exit.id()
                        && waits[enter.id()] == waits[loop.enters.getFirst().id()];
        }
        return loop.endsAtOnce;
    }

    /** Whether a node is a region of its own. */
    private boolean isApart(Node n) {
        return isWaiting(n) || draws[n.id()];
    }

    private static boolean isWaiting(Node n) {
        return n.op().waits() || Inline.isCall(n.op());
    }
}
