package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefNextIteration;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.runtime.DeviceName;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Gives every node one device: nodes that must share one (references, handles, colocation wishes) are joined first,
 * then each group takes the first device that has kernels for all of it and fits its wishes, those of special devices
 * before those of CPUs. With a cost model the step is then thought through, and groups that wish for nothing and hold nothing
 * go where they end first, if the step becomes shorter by a margin. Stateful nodes, and what is in a loop, never move.
 */
public final class Placer {

    /** Whether a device has a kernel for an op. */
    @FunctionalInterface
    public interface Support {
        boolean has(DeviceSpec device, Op op);
    }

    /** What a step must win for nodes to be moved, in parts of what it takes: predictions are only that. */
    private static final double MARGIN = 0.15;

    /** And in nanoseconds: what a few messages more or less take is not known well enough. */
    private static final double LEAST = 500_000;

    private final List<DeviceSpec> devices;
    private final CostModel costs;
    private final Map<String, DeviceName> names = new HashMap<>();
    private final Support support;
    private final SessionOptions options;

    /**
     * Nodes that share a device, the one they have and why, and those they might have instead, if any; it is free where nobody has wished for that
     * device, nor a reckoning found it.
     */
    record Group(List<Node> members, DeviceSpec device, String reason, List<DeviceSpec> others, boolean isFree) {
        Group at(DeviceSpec d, String why) {
            return new Group(members, d, why, others, false);
        }

        // groups are told apart by what they are, not by what they have
        @Override
        public boolean equals(Object o) {
            return this == o;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    Placer(List<DeviceSpec> devices, Support support, SessionOptions options) {
        this(devices, support, options, null);
    }

    /** As above, where {@code costs} say what nodes take; they may be null. */
    Placer(List<DeviceSpec> devices, Support support, SessionOptions options, CostModel costs) {
        this.costs = costs;
        this.devices = new ArrayList<>(devices);
        this.devices.sort((a, b) -> Boolean.compare(isCpu(a), isCpu(b)));
        this.support = support;
        this.options = options;
    }

    private static boolean isCpu(DeviceSpec d) {
        return d.type().equals("CPU");
    }

    /** Where each node is. */
    Placement place(Subgraph s) {
        return place(s, Map.of(), Map.of());
    }

    /** As above; nodes with the names of anchors, and what must share their devices, are where these say, and those that may move are {@code now}
     * somewhere, and stay unless moving pays. */
    Placement place(Subgraph s, Map<String, DeviceSpec> anchors, Map<String, DeviceSpec> now) {
        List<Node> nodes = s.graph().nodes();
        DeviceSpec[] placed = new DeviceSpec[nodes.size()];
        String[] reasons = new String[nodes.size()];
        if (devices.size() == 1 && nodes.stream().allMatch(n -> n.device().isEmpty())) {
            Arrays.fill(placed, devices.getFirst());
            Arrays.fill(reasons, "the only device");
            return new Placement(placed, reasons, Double.NaN, Double.NaN);
        }
        Map<Integer, Group> groups = new HashMap<>();
        for (List<Node> members : groups(s.graph(), nodes)) {
            DeviceSpec d = anchored(members, anchors);
            Group g = d == null
                    ? kept(choose(members), now)
                    : new Group(members, d, "with what outlives runs", List.of(), false);
            for (Node n : members) groups.put(n.id(), g);
        }
        toReaders(nodes, groups);
        for (Node n : nodes) {
            placed[n.id()] = groups.get(n.id()).device;
            reasons[n.id()] = groups.get(n.id()).reason;
        }
        double before = Double.NaN, after = Double.NaN;
        if (costs != null) {
            before = new StepForecast(nodes, placed.clone(), costs).run(null);
            after = move(s.graph(), placed, reasons, groups, before);
        }
        moveSources(nodes, placed, reasons);
        return new Placement(placed, reasons, after, before);
    }

    /** Moves what brings input in to where it is needed. */
    private void toReaders(List<Node> nodes, Map<Integer, Group> groups) {
        InputPlaces.of(nodes, groups, this::near).forEach((g, d) -> {
            Group there = g.at(d, "where its input is needed");
            for (Node n : g.members) groups.put(n.id(), there);
        });
    }

    /** A device of the task of another, that one if it can, which has kernels for all of these; null where there is none. */
    private DeviceSpec near(DeviceSpec wanted, List<Node> members) {
        if (members.stream().allMatch(n -> isAble(wanted, n))) return wanted;
        DeviceName w = name(wanted.name()), task = new DeviceName(w.job(), w.replica(), w.task(), null, null);
        for (DeviceSpec d : devices)
            if (task.matches(name(d.name())) && members.stream().allMatch(n -> isAble(d, n))) return d;
        return null;
    }

    /** Moves groups to where they end first, where that pays; gives what the step is predicted to take. */
    private double move(Graph graph, DeviceSpec[] placed, String[] reasons, Map<Integer, Group> groups, double before) {
        DeviceSpec[] moved = placed.clone();
        String[] because = reasons.clone();
        Frames frames = new Frames(graph);
        Map<Group, Boolean> settled = new IdentityHashMap<>();
        for (Node n : graph.nodes()) {
            boolean loops = frames.of(n).parent() != null || frames.ofOutputs(n).parent() != null;
            if (loops || isSource(n) || groups.get(n.id()).others.isEmpty()) settled.put(groups.get(n.id()), true);
        }
        double after = new StepForecast(graph.nodes(), moved, costs).run(new StepForecast.Choices() {
            @Override
            public List<DeviceSpec> of(Node n) {
                Group g = groups.get(n.id());
                return settled.containsKey(g) ? null : g.others;
            }

            @Override
            public void chosen(Node n, DeviceSpec d, double end, double there) {
                Group g = groups.get(n.id());
                settled.put(g, true);
                if (d == g.device) return;
                for (Node m : g.members) {
                    moved[m.id()] = d;
                    because[m.id()] = "by cost: %s ends at %.3f ms there, at %.3f ms where it was"
                            .formatted(n.name(), end / 1e6, there / 1e6);
                }
            }
        });
        if (!(after < before * (1 - MARGIN) - LEAST)) return before;
        System.arraycopy(moved, 0, placed, 0, placed.length);
        System.arraycopy(because, 0, reasons, 0, reasons.length);
        return after;
    }

    private static Collection<List<Node>> groups(Graph graph, List<Node> nodes) {
        int[] group = new int[nodes.size()];
        for (int i = 0; i < group.length; i++) group[i] = i;
        Map<String, Integer> classes = new HashMap<>();
        for (Node n : nodes) {
            for (Edge e : n.inputs())
                if (e != null && mustShare(n, e)) join(group, n.id(), e.node().id());
            for (String c : n.colocations()) {
                if (graph.has(c) && graph.node(c).id() < group.length)
                    join(group, n.id(), graph.node(c).id());
                else if (classes.putIfAbsent(c, n.id()) != null) join(group, n.id(), classes.get(c));
            }
        }
        Map<Integer, List<Node>> groups = new HashMap<>();
        for (Node n : nodes)
            groups.computeIfAbsent(find(group, n.id()), k -> new ArrayList<>()).add(n);
        return groups.values();
    }

    private static Group kept(Group g, Map<String, DeviceSpec> now) {
        DeviceSpec d = now.get(g.members.getFirst().name());
        if (d == null || d == g.device || !g.others.contains(d)) return g;
        return g.at(d, "by cost, as before");
    }

    private static DeviceSpec anchored(List<Node> members, Map<String, DeviceSpec> anchors) {
        if (anchors.isEmpty()) return null;
        for (Node n : members) if (anchors.containsKey(n.name())) return anchors.get(n.name());
        return null;
    }

    /** Where variables, queues and tables of a whole graph are, by name of their nodes. */
    Map<String, DeviceSpec> anchors(Graph whole) {
        Map<String, DeviceSpec> all = new HashMap<>();
        if (devices.size() == 1) return all;
        Map<Integer, Group> groups = new HashMap<>();
        boolean inputs = whole.nodes().stream().anyMatch(n -> n.op().isInput()); // nothing else moves what is held
        for (List<Node> members : groups(whole, whole.nodes())) {
            if (!inputs && members.stream().noneMatch(Placer::isHeld)) continue;
            try {
                Group g = choose(members);
                for (Node n : members) groups.put(n.id(), g);
            } catch (OxbowException e) {
                continue; // the runs that need all of it are told
            }
        }
        toReaders(whole.nodes(), groups);
        for (Node n : whole.nodes())
            if (isHeld(n) && groups.containsKey(n.id())) all.put(n.name(), groups.get(n.id()).device);
        return all;
    }

    /** Whether a node stands for what outlives a run. */
    static boolean isHeld(Node n) {
        if (n.inputCount() > 0 || n.outputCount() == 0) return false;
        return n.output(0).isRef() || n.output(0).dtype() == DType.RESOURCE;
    }

    /** Has arguments and constants that wish for nothing lie where they are read, if that is one place: then they need not travel. */
    private void moveSources(List<Node> nodes, DeviceSpec[] placed, String[] reasons) {
        boolean[] fixed = new boolean[placed.length];
        DeviceSpec[] readers = new DeviceSpec[placed.length];
        for (Node n : nodes) {
            fixed[n.id()] |=
                    !isSource(n) || !n.device().isEmpty() || !n.colocations().isEmpty();
            for (Edge e : n.inputs()) {
                int id = e.node().id();
                fixed[id] |= mustShare(n, e) || readers[id] != null && readers[id] != placed[n.id()];
                readers[id] = placed[n.id()];
            }
            for (Node c : n.controls()) fixed[c.id()] = true;
        }
        for (Node n : nodes) {
            DeviceSpec d = readers[n.id()];
            if (fixed[n.id()] || d == null || d == placed[n.id()] || !support.has(d, n.op())) continue;
            placed[n.id()] = d;
            reasons[n.id()] = "where it is read";
        }
    }

    private static boolean isSource(Node n) {
        return n.op() instanceof Arg || n.op() instanceof Const;
    }

    /** References and handles do not leave their device, nor do the control nodes of one loop variable part. */
    private static boolean mustShare(Node n, Edge e) {
        DType d = e.type().dtype();
        if (e.type().isRef() || d == DType.RESOURCE || d == DType.VARIANT) return true;
        return switch (n.op()) {
            case Merge m -> e.node().op() instanceof NextIteration || e.node().op() instanceof Enter;
            case Retval r -> true;
            case RefMerge m -> true;
            case RefSwitch m -> true;
            case RefEnter m -> true;
            case RefExit m -> true;
            case RefNextIteration m -> true;
            default -> false;
        };
    }

    private Group choose(List<Node> members) {
        List<DeviceSpec> able = devices.stream()
                .filter(d -> members.stream().allMatch(n -> isAble(d, n)))
                .toList();
        List<DeviceSpec> fit = able;
        List<Node> narrowing = new ArrayList<>();
        Node wisher = null;
        boolean stateful = false;
        for (Node n : members) {
            stateful |= n.op().effects() != Effects.NONE;
            if (n.device().isEmpty()) continue;
            DeviceName wish = name(n.device());
            List<DeviceSpec> left =
                    fit.stream().filter(d -> wish.matches(name(d.name()))).toList();
            if (left.isEmpty() && options.softPlacement()) continue;
            if (left.isEmpty()) throw clash(n, narrowing, able);
            if (left.size() < fit.size()) narrowing.add(n);
            fit = left;
            wisher = n;
        }
        if (fit.isEmpty()) throw clash(members.getFirst(), narrowing, able);
        if (wisher != null)
            return new Group(
                    members,
                    fit.getFirst(),
                    "%s wishes '%s'".formatted(wisher.name(), wisher.device()),
                    List.of(),
                    false);
        if (stateful)
            return new Group(members, fit.getFirst(), "the first that can, and it holds something", List.of(), true);
        int chosen = options.placement().device(members.getFirst().name(), fit.size());
        String reason = fit.size() == 1 ? "the only device with kernels for it" : "the first that can";
        return new Group(members, fit.get(Math.floorMod(chosen, fit.size())), reason, fit, true);
    }

    /** What only hands values on needs no kernel of a device that it wishes for. */
    private boolean isAble(DeviceSpec d, Node n) {
        if (n.op() instanceof Retval || support.has(d, n.op())) return true;
        return n.op() instanceof CoreOp
                && !n.device().isEmpty()
                && name(n.device()).matches(name(d.name()));
    }

    private DeviceName name(String text) {
        return names.computeIfAbsent(text, DeviceName::parse);
    }

    private OxbowException clash(Node n, List<Node> others, List<DeviceSpec> able) {
        String all = String.join(", ", devices.stream().map(DeviceSpec::name).toList());
        String wishes = others.stream()
                .map(o -> "'%s' for %s".formatted(o.device(), o.name()))
                .collect(Collectors.joining(" and "));
        String with = others.isEmpty() ? "" : " together with " + wishes + ", whose device it must share";
        String kernels = able.size() == devices.size()
                ? ""
                : "; of those, " + able.stream().map(DeviceSpec::name).toList()
                        + " have kernels for all that must share it";
        return new OxbowException(
                INVALID_ARGUMENT,
                "Cannot assign a device for operation %s: it wishes '%s'%s, and the devices are %s%s"
                        .formatted(n.name(), n.device(), with, all, kernels));
    }

    private static int find(int[] group, int i) {
        while (group[i] != i) {
            group[i] = group[group[i]];
            i = group[i];
        }
        return i;
    }

    private static void join(int[] group, int a, int b) {
        int x = find(group, a), y = find(group, b);
        if (x < y) group[y] = x;
        else group[x] = y;
    }
}
