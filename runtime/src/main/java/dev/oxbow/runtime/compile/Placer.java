package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.RefExit;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.graph.core.RefNextIteration;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceName;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives every node one device: nodes that must share one (references, handles, colocation wishes) are joined first,
 * then each group takes the first device that fits all of its wishes. Stateful nodes without a wish go to the first
 * device and never move.
 */
final class Placer {
    private Placer() {}

    /** The device of each node, by node id. */
    static Device[] place(Subgraph s, List<Device> devices, SessionOptions.Placement placement) {
        List<Node> nodes = s.graph().nodes();
        Device[] placed = new Device[nodes.size()];
        if (devices.size() == 1) {
            java.util.Arrays.fill(placed, devices.get(0));
            checkWishes(nodes, devices);
            return placed;
        }
        int[] group = new int[nodes.size()];
        for (int i = 0; i < group.length; i++) group[i] = i;
        Map<String, Integer> classes = new HashMap<>();
        for (Node n : nodes) {
            for (Edge e : n.inputs())
                if (mustShare(n, e)) join(group, n.id(), e.node().id());
            for (String c : n.colocations()) {
                if (s.graph().has(c)) join(group, n.id(), s.graph().node(c).id());
                else if (classes.putIfAbsent(c, n.id()) != null) join(group, n.id(), classes.get(c));
            }
        }
        Map<Integer, List<Node>> groups = new HashMap<>();
        for (Node n : nodes)
            groups.computeIfAbsent(find(group, n.id()), k -> new ArrayList<>()).add(n);
        for (List<Node> members : groups.values()) {
            Device d = choose(members, devices, placement);
            for (Node n : members) placed[n.id()] = d;
        }
        return placed;
    }

    /** References and handles do not leave their device, nor do the control nodes of one loop variable part. */
    private static boolean mustShare(Node n, Edge e) {
        DType d = e.type().dtype();
        if (e.type().isRef() || d == DType.RESOURCE || d == DType.VARIANT) return true;
        return switch (n.op()) {
            case Merge m -> isNext(e.node()) || isEnter(e.node());
            case RefMerge m -> true;
            case RefSwitch m -> true;
            case RefEnter m -> true;
            case RefExit m -> true;
            case RefNextIteration m -> true;
            default -> false;
        };
    }

    private static boolean isNext(Node n) {
        return n.op() instanceof NextIteration;
    }

    private static boolean isEnter(Node n) {
        return n.op() instanceof Enter;
    }

    private static Device choose(List<Node> members, List<Device> devices, SessionOptions.Placement placement) {
        List<Device> fit = new ArrayList<>(devices);
        Node wisher = null;
        boolean stateful = false;
        for (Node n : members) {
            stateful |= n.op().effects() != Effects.NONE;
            if (n.device().isEmpty()) continue;
            DeviceName wish = DeviceName.parse(n.device());
            List<Device> left = fit.stream()
                    .filter(d -> wish.matches(DeviceName.parse(d.name())))
                    .toList();
            if (left.isEmpty()) throw clash(n, wisher, devices);
            fit = left;
            wisher = n;
        }
        if (stateful || wisher != null) return fit.get(0);
        return fit.get(Math.floorMod(placement.device(members.get(0).name(), fit.size()), fit.size()));
    }

    private static void checkWishes(List<Node> nodes, List<Device> devices) {
        Map<String, Boolean> seen = new HashMap<>();
        for (Node n : nodes) {
            if (n.device().isEmpty()) continue;
            boolean ok = seen.computeIfAbsent(
                    n.device(),
                    w -> DeviceName.parse(w)
                            .matches(DeviceName.parse(devices.get(0).name())));
            if (!ok) throw clash(n, null, devices);
        }
    }

    private static OxbowException clash(Node n, Node other, List<Device> devices) {
        String names = String.join(", ", devices.stream().map(Device::name).toList());
        String with = other == null
                ? ""
                : " together with '%s' for %s, whose device it must share".formatted(other.device(), other.name());
        return new OxbowException(
                INVALID_ARGUMENT,
                "Cannot assign a device for operation %s: it wishes '%s'%s, and the devices are %s"
                        .formatted(n.name(), n.device(), with, names));
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
