package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Inline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The last stage: turns a device's graph into regions of instructions with slots for their values. */
final class Scheduler {

    /*
     * A region is a straight line, run in order by one thread at a time. Two nodes share one when they stand in the same
     * frame and have the same waiting ancestors (receives, dequeues, exits of inner loops), so neither could start
     * before the other for any reason but order: no region waits for something that a later part of itself makes
     * possible. Waiting nodes are regions of their own. Values pass between regions as they are made. Exits of a loop
     * that waits for nothing inside and whose values all wait for the same outside are one wait, not many, so that
     * what follows a loop, such as the body of its gradient's loop, stays in one region.
     *
     * Random ops of a loop are regions of their own as well where their seeds make the order of draws matter: TensorFlow
     * runs last what became ready first, so as many iterations begin as may run at a time before one of them draws, and
     * then the last draws first. Later iterations begin one by one and draw in order. Loops that wait for something else
     * keep to the order of iterations, and so do those that TensorFlow runs as calls of their body.
     */

    private final Graph graph;
    private final Device device;
    private final List<Node> nodes;
    private final FrameProgram[] frame;
    private final FrameProgram[] outFrame;
    private final Instruction[] instructions;
    private final int[] waits;
    private final boolean[] mayBeDead;
    private final int[] conditions;
    private final Map<Object, Integer> conditionNumbers = new HashMap<>();
    private final NodeSets sets = new NodeSets();
    private final List<FrameProgram> frames = new ArrayList<>();
    private final Frames structure;
    private final Map<Frames.Frame, Loop> loops = new HashMap<>();
    private final boolean[] draws;
    private final boolean[] drawn;

    private Scheduler(Graph graph, Device device) {
        this.graph = graph;
        this.structure = new Frames(graph);
        this.device = device;
        this.nodes = graph.nodes();
        int n = nodes.size();
        frame = new FrameProgram[n];
        outFrame = new FrameProgram[n];
        instructions = new Instruction[n];
        waits = new int[n];
        mayBeDead = new boolean[n];
        conditions = new int[n];
        for (Frames.Frame f : structure.all()) loops.put(f, new Loop());
        for (Node node : nodes) {
            if (Frames.isEnter(node.op()))
                loops.get(structure.ofOutputs(node)).enters.add(node);
            if (isWaiting(node)) setWaits(node);
        }
        draws = new boolean[n];
        drawn = new boolean[n];
        for (Node node : nodes) draws[node.id()] = isDraw(node);
        for (Node node : nodes) if (draws[node.id()]) setWaits(node);
        assignDrawn();
    }

    /** Finds what depends on draws, also of the iteration before: such values of a loop are not awaited by what runs ahead. */
    private void assignDrawn() {
        for (Node n : nodes) {
            if (!draws[n.id()]) continue;
            drawn[n.id()] = true;
            Loop loop = loops.get(structure.of(n));
            if (loop.draw == null) loop.draw = n;
        }
        for (boolean more = any(drawn); more; ) {
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

    private static boolean any(boolean[] flags) {
        for (boolean f : flags) if (f) return true;
        return false;
    }

    private void setWaits(Node n) {
        for (Frames.Frame f = structure.of(n); f != null && !loops.get(f).waits; f = f.parent())
            loops.get(f).waits = true;
    }

    /** Whether a node is a random op of a loop that begins several iterations before one of them draws. */
    private boolean isDraw(Node n) {
        Frames.Frame f = structure.of(n);
        if (n.op().effects() != Effects.RANDOM || f.parent() == null || loops.get(f).waits) return false;
        for (Node enter : loops.get(f).enters) if (Inline.isInOrder(enter)) return false;
        Map<String, Object> attributes = OpDefinition.of(n.op().getClass()).attributes(n.op());
        return (isSeed(attributes.get("seed")) || isSeed(attributes.get("seed2"))) && !decides(n, f);
    }

    /** Whether the number of iterations depends on this node. */
    private boolean decides(Node n, Frames.Frame f) {
        Set<Node> deciding = new HashSet<>();
        ArrayDeque<Node> work = new ArrayDeque<>();
        for (Node c : nodes) if (c.op() instanceof LoopCond && structure.of(c) == f && deciding.add(c)) work.add(c);
        while (!work.isEmpty()) {
            Node d = work.poll();
            for (Edge e : d.inputs()) if (structure.of(e.node()) == f && deciding.add(e.node())) work.add(e.node());
            for (Node c : d.controls()) if (structure.of(c) == f && deciding.add(c)) work.add(c);
        }
        return deciding.contains(n);
    }

    private static boolean isSeed(Object attribute) {
        return attribute instanceof Long seed && seed != 0;
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

    static Program schedule(Graph graph, Device device) {
        return new Scheduler(graph, device).build();
    }

    /** For each node a number: nodes with the same number will share a region. */
    static int[] regionNumbers(Graph graph) {
        Scheduler s = new Scheduler(graph, null);
        Map<List<Long>, Integer> numbers = new HashMap<>();
        int[] all = new int[s.nodes.size()];
        for (Node n : s.nodes) {
            s.assignWaits(n);
            long key = s.isApart(n) ? -1L - n.id() : s.waits[n.id()];
            List<Long> region = List.of((long) s.structure.of(n).number(), key);
            all[n.id()] = numbers.computeIfAbsent(region, k -> numbers.size());
        }
        return all;
    }

    private Program build() {
        for (Frames.Frame f : structure.all()) {
            FrameProgram parent =
                    f.parent() == null ? null : frames.get(f.parent().number());
            frames.add(new FrameProgram(f.number(), f.name(), parent, f.parallelIterations(), device));
        }
        for (Node n : nodes) {
            frame[n.id()] = frames.get(structure.of(n).number());
            outFrame[n.id()] = frames.get(structure.ofOutputs(n).number());
        }
        FrameProgram root = frames.get(0);
        for (Node n : nodes) assignWaits(n);
        for (Node n : nodes) assignCondition(n);
        for (Node n : nodes) {
            instructions[n.id()] = new Instruction(n, kind(n), kernel(n));
            instructions[n.id()].condition = conditions[n.id()];
        }
        regions();
        slots();
        edges();
        releases();
        return new Program(device, root, frames, nodes.size());
    }

    // ---- waits

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
        if (drawn[n.id()] && isLoopMerge(n) && loops.get(structure.of(n)).draw != null)
            set = sets.union(set, sets.single(loops.get(structure.of(n)).draw.id()));
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

    /** Nodes with the same condition are dead or alive together: it names the switches, receives and merges above. */
    private void assignCondition(Node n) {
        int set = 0;
        for (Edge e : n.inputs()) {
            if (e.node().id() >= n.id()) continue;
            set = sets.union(set, conditions[e.node().id()]);
            boolean isSwitch = e.node().op() instanceof Switch || e.node().op() instanceof RefSwitch;
            if (isSwitch) set = sets.union(set, condition(List.of(e.node().input(1), e.port())));
        }
        for (Node c : n.controls()) set = sets.union(set, conditions[c.id()]);
        boolean own = isWaiting(n) || Frames.isExit(n.op()) || kind(n) == Instruction.Kind.MERGE;
        conditions[n.id()] = !own ? set : condition(livesWithItsLoop(n) ? structure.of(n) : n);
    }

    /** Whether an exit is alive exactly when its loop runs at all. */
    private boolean livesWithItsLoop(Node n) {
        if (!Frames.isExit(n.op()) || !endsAtOnce(n)) return false;
        Edge e = n.input(0);
        boolean last = e.node().op() instanceof Switch
                && e.port() == 0
                && e.node().input(1).node().op() instanceof LoopCond;
        return last && loops.get(structure.of(n)).entersTogether(conditions);
    }

    private int condition(Object what) {
        return sets.single(-1 - conditionNumbers.computeIfAbsent(what, k -> conditionNumbers.size()));
    }

    /** What must have ended before a consumer of this node can run. */
    private int after(Node n) {
        if (Frames.isExit(n.op()) && endsAtOnce(n)) {
            Loop loop = loops.get(structure.of(n));
            return sets.union(waits[loop.enters.getFirst().id()], sets.single(loop.first.id()));
        }
        boolean barrier = isApart(n) || Frames.isExit(n.op());
        return barrier ? sets.union(waits[n.id()], sets.single(n.id())) : waits[n.id()];
    }

    /** Whether nothing outside can be needed between two exits of the loop that this one ends. */
    private boolean endsAtOnce(Node exit) {
        Loop loop = loops.get(structure.of(exit));
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

    // ---- instructions

    private static boolean isLoopMerge(Node n) {
        if (!(n.op() instanceof Merge) && !(n.op() instanceof RefMerge)) return false;
        for (Edge e : n.inputs()) if (Frames.isNext(e.node().op())) return true;
        return false;
    }

    private static Instruction.Kind kind(Node n) {
        return switch (n.op()) {
            case Arg a -> Instruction.Kind.ARG;
            case Retval r -> Instruction.Kind.RETVAL;
            case Switch s -> Instruction.Kind.SWITCH;
            case RefSwitch s -> Instruction.Kind.SWITCH;
            case Merge m -> isLoopMerge(n) ? Instruction.Kind.LOOP_MERGE : Instruction.Kind.MERGE;
            case RefMerge m -> isLoopMerge(n) ? Instruction.Kind.LOOP_MERGE : Instruction.Kind.MERGE;
            case Send s -> Instruction.Kind.SEND;
            case Recv r -> Instruction.Kind.RECV;
            case Op op when Frames.isEnter(op) -> Instruction.Kind.ENTER;
            case Op op when Frames.isExit(op) -> Instruction.Kind.EXIT;
            case Op op when Frames.isNext(op) -> Instruction.Kind.NEXT_ITERATION;
            case Op op when Inline.isCall(op) -> Instruction.Kind.CALL;
            default -> Instruction.Kind.KERNEL;
        };
    }

    private dev.oxbow.graph.Kernel kernel(Node n) {
        return kind(n) == Instruction.Kind.KERNEL ? device.kernel(n.op()) : null;
    }

    private void regions() {
        Map<FrameProgram, Map<Long, List<Instruction>>> groups = new HashMap<>();
        for (Node n : nodes) {
            long key = isApart(n) ? -1L - n.id() : waits[n.id()];
            groups.computeIfAbsent(frame[n.id()], f -> new LinkedHashMap<>())
                    .computeIfAbsent(key, k -> new ArrayList<>())
                    .add(instructions[n.id()]);
        }
        for (FrameProgram f : frames) {
            List<Instruction> all = new ArrayList<>();
            for (List<Instruction> group : groups.getOrDefault(f, Map.of()).values()) {
                List<Instruction> ordered = new ArrayList<>(group.size());
                for (Instruction i : group) if (i.kind != Instruction.Kind.NEXT_ITERATION) ordered.add(i);
                for (Instruction i : group) if (i.kind == Instruction.Kind.NEXT_ITERATION) ordered.add(i);
                boolean draw = draws[ordered.getFirst().node.id()];
                var region = new FrameProgram.Region(f.regions.size(), ordered.toArray(Instruction[]::new), draw);
                f.regions.add(region);
                for (Instruction i : ordered) {
                    i.index = all.size();
                    all.add(i);
                    i.region = region;
                }
            }
            f.instructions = all.toArray(Instruction[]::new);
            f.pending = new int[f.instructions.length];
            f.regionOf = new int[f.instructions.length];
            for (Instruction i : all) f.regionOf[i.index] = i.region.index;
        }
    }

    // ---- slots and edges

    private void slots() {
        int[][] consumers = new int[nodes.size()][];
        boolean[] controls = new boolean[nodes.size()];
        for (Node n : nodes) consumers[n.id()] = new int[n.outputCount()];
        for (Node n : nodes) {
            for (Edge e : n.inputs()) consumers[e.node().id()][e.port()]++;
            for (Node c : n.controls()) controls[c.id()] = true;
        }
        for (Node n : nodes) {
            Instruction i = instructions[n.id()];
            FrameProgram f = outFrame[n.id()];
            i.out = new int[n.outputCount()];
            for (int p = 0; p < i.out.length; p++) i.out[p] = consumers[n.id()][p] > 0 ? f.slots++ : -1;
            if (controls[n.id()] && (mayBeDead[n.id()] || Frames.isEnter(n.op()))) i.controlOut = f.slots++;
            if (i.kind == Instruction.Kind.ENTER) {
                i.child = f;
                f.enters++;
                if (Frames.isConstantEnter(n.op())) f.constantEnters.add(i);
            } else if (i.kind == Instruction.Kind.EXIT) {
                i.exit = frame[n.id()].exits.size();
                frame[n.id()].exits.add(i);
            }
        }
    }

    private void edges() {
        Map<Instruction, List<Integer>> notify = new HashMap<>();
        for (Node n : nodes) {
            Instruction i = instructions[n.id()];
            i.in = new int[n.inputCount()];
            i.deref = new boolean[n.inputCount()];
            i.constant = new boolean[n.inputCount()];
            boolean heard = false;
            for (int k = 0; k < i.in.length; k++) {
                Edge e = n.input(k);
                Instruction from = instructions[e.node().id()];
                i.in[k] = from.out[e.port()];
                i.deref[k] = e.type().isRef() && !n.takesRef(k);
                i.constant[k] = e.node().op() instanceof Const;
                if (!isExternal(from, i)) continue;
                notify.computeIfAbsent(from, x -> new ArrayList<>()).add(i.index);
                if (i.kind == Instruction.Kind.LOOP_MERGE && heard) continue; // either the entry or the back edge comes
                heard = true;
                i.external++;
            }
            if (i.kind == Instruction.Kind.LOOP_MERGE) orderLoopMerge(i);
            List<Integer> dead = new ArrayList<>();
            for (Node c : n.controls()) {
                Instruction from = instructions[c.id()];
                if (from.controlOut >= 0 && i.kind != Instruction.Kind.MERGE && !(n.op() instanceof ControlTrigger))
                    dead.add(from.controlOut);
                if (!isExternal(from, i)) continue;
                notify.computeIfAbsent(from, x -> new ArrayList<>()).add(i.index);
                i.external++;
            }
            i.controlIn = dead.stream().mapToInt(Integer::intValue).toArray();
            i.mayBeDead = i.controlIn.length > 0;
            for (Edge e : n.inputs()) i.mayBeDead |= mayBeDead[e.node().id()];
            frame[n.id()].pending[i.index] = i.external;
        }
        notify.forEach((i, list) -> {
            i.notify = list.stream().mapToInt(Integer::intValue).toArray();
            if (i.kind != Instruction.Kind.ENTER || Frames.isConstantEnter(i.node.op())) return;
            Instruction[] readers = i.child.instructions;
            i.notifyOnce = list.stream()
                    .mapToInt(Integer::intValue)
                    .filter(r -> readers[r].kind != Instruction.Kind.LOOP_MERGE)
                    .toArray();
            if (i.notifyOnce.length > 0) {
                i.child.firstEnters.add(i);
                for (int r : i.notifyOnce) readers[r].mayBeDead = true;
            }
        });
    }

    /** An edge between regions, or one that crosses frames or iterations: its consumer must be told. */
    private boolean isExternal(Instruction from, Instruction to) {
        return switch (from.kind) {
            case ENTER, EXIT, NEXT_ITERATION -> true;
            default -> from.region != to.region;
        };
    }

    /** The first slot is read in the first iteration, the second in all others. */
    private static void orderLoopMerge(Instruction i) {
        require(
                i.in.length == 2,
                INVALID_ARGUMENT,
                "node %s: a loop's Merge has one entry and one back edge, got %d inputs",
                i.node.name(),
                i.in.length);
        if (Frames.isNext(i.node.input(0).node().op())) i.in = new int[] {i.in[1], i.in[0]};
    }

    /** A slot that one region alone reads is freed after its last reader there; any other when the iteration ends. */
    private void releases() {
        Map<FrameProgram, List<Instruction>> producers = new HashMap<>();
        for (Instruction i : instructions)
            producers
                    .computeIfAbsent(outFrame[i.node.id()], f -> new ArrayList<>())
                    .add(i);
        for (FrameProgram f : frames) {
            Instruction[] last = new Instruction[f.slots];
            boolean[] shared = new boolean[f.slots];
            for (Instruction i : f.instructions) {
                for (int s : i.in) {
                    if (last[s] != null && last[s].region != i.region) shared[s] = true;
                    last[s] = i;
                }
            }
            for (Instruction e : f.constantEnters) for (int s : e.out) if (s >= 0) shared[s] = true;
            for (Instruction i : producers.getOrDefault(f, List.of())) {
                i.escapes = new boolean[i.out.length];
                for (int p = 0; p < i.out.length; p++) {
                    int s = i.out[p];
                    i.escapes[p] = s >= 0 && (shared[s] || last[s] == null || last[s].region != i.region);
                }
            }
            Map<Instruction, List<Integer>> release = new HashMap<>();
            for (int s = 0; s < f.slots; s++) {
                if (last[s] != null && !shared[s])
                    release.computeIfAbsent(last[s], x -> new ArrayList<>(2)).add(s);
            }
            release.forEach((i, list) ->
                    i.release = list.stream().mapToInt(Integer::intValue).toArray());
        }
    }

    /** Sets of nodes or conditions as numbers: equal sets have equal numbers, 0 is the empty set. */
    private static final class NodeSets {

        /*
         * A set is a binary tree of its elements' bits, highest first, without branches that have one side only. Equal
         * trees are one, so sets that share most of their elements share most of their memory: the sets of a chain of n
         * waiting nodes take n log n, not n * n. (Okasaki and Gill, Fast mergeable integer maps, 1998.)
         */

        /** Elements that agree above {@code bit} with {@code prefix}; a single element where it is 0. */
        private record Tree(int prefix, int bit, int left, int right) {
            boolean covers(int element) {
                return above(element, bit) == prefix;
            }
        }

        private final List<Tree> trees = new ArrayList<>();
        private final Map<Tree, Integer> numbers = new HashMap<>();
        private final Map<Long, Integer> unions = new HashMap<>();

        NodeSets() {
            trees.add(null);
        }

        int single(int element) {
            return number(new Tree(element, 0, 0, 0));
        }

        int union(int a, int b) {
            if (a == b || b == 0) return a;
            if (a == 0) return b;
            long key = (long) Math.min(a, b) << 32 | Math.max(a, b);
            Integer known = unions.get(key);
            if (known != null) return known;
            Tree x = trees.get(a), y = trees.get(b);
            int order = Integer.compareUnsigned(x.bit, y.bit);
            int made;
            if (order == 0 && x.prefix == y.prefix)
                made = number(new Tree(x.prefix, x.bit, union(x.left, y.left), union(x.right, y.right)));
            else if (order > 0 && x.covers(y.prefix)) made = into(x, b, y.prefix);
            else if (order < 0 && y.covers(x.prefix)) made = into(y, a, x.prefix);
            else made = beside(a, x.prefix, b, y.prefix);
            unions.put(key, made);
            return made;
        }

        /** The union of a tree with a set that belongs to one of its sides. */
        private int into(Tree t, int set, int prefix) {
            boolean left = (prefix & t.bit) == 0;
            return number(new Tree(
                    t.prefix, t.bit, left ? union(t.left, set) : t.left, left ? t.right : union(t.right, set)));
        }

        private int beside(int a, int prefixOfA, int b, int prefixOfB) {
            int bit = Integer.highestOneBit(prefixOfA ^ prefixOfB);
            boolean left = (prefixOfA & bit) == 0;
            return number(new Tree(above(prefixOfA, bit), bit, left ? a : b, left ? b : a));
        }

        private static int above(int element, int bit) {
            return bit == 0 ? element : element & ~((bit << 1) - 1);
        }

        private int number(Tree t) {
            return numbers.computeIfAbsent(t, k -> {
                trees.add(k);
                return trees.size() - 1;
            });
        }
    }
}
