package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.runtime.DeviceSpec;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has what brings input in (files, data sets, and what is done to their values alone) run where these are needed. */
final class InputPlaces {

    /*
     * A group qualifies if it wishes for nothing and all that it computes from is input, fed or constant; a variable does
     * not, nor a queue that others than input fill. Who qualifies goes to the task of all that reads it, from the last
     * reader backwards; where readers are in several tasks it stays, since its values would travel anyway. Readers,
     * iterators and queues whose place is settled stay, and what is done to their values follows those who read that.
     */

    /** Finds a device of a task that has kernels for all of a group, best the one that is asked for; null where there is none. */
    @FunctionalInterface
    interface Devices {
        DeviceSpec near(DeviceSpec wanted, List<Node> members);
    }

    private final List<Node> nodes;
    private final Map<Integer, Placer.Group> groups;
    private final Set<Placer.Group> free = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Placer.Group> settled = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Placer.Group> input = Collections.newSetFromMap(new IdentityHashMap<>());

    private InputPlaces(List<Node> nodes, Map<Integer, Placer.Group> groups) {
        this.nodes = nodes;
        this.groups = groups;
    }

    /** The devices of groups that go elsewhere than they are; {@code groups} are by node, and may miss some. */
    static Map<Placer.Group, DeviceSpec> of(List<Node> nodes, Map<Integer, Placer.Group> groups, Devices devices) {
        if (nodes.stream().noneMatch(n -> n.op().isInput() || n.op().waits())) return Map.of();
        InputPlaces p = new InputPlaces(nodes, groups);
        p.find();
        return p.pull(devices);
    }

    private static boolean isSource(Node n) {
        return n.op() instanceof Arg || n.op() instanceof Const;
    }

    private void find() {
        for (Placer.Group g : groups.values()) {
            if (!isPlain(g)) continue;
            if (g.isFree()) free.add(g);
            else if (g.members().stream().anyMatch(Placer::isHeld)) settled.add(g);
        }
        for (boolean changed = true; changed; ) {
            changed = false;
            for (Node n : nodes)
                for (Edge e : n.inputs()) if (e != null && !isKnown(e.node())) changed |= free.remove(of(n));
        }
        input.addAll(settled);
        for (Placer.Group g : free) if (g.members().stream().anyMatch(n -> n.op().isInput())) input.add(g);
        for (boolean changed = true; changed; ) {
            changed = false;
            for (Node n : nodes)
                for (Edge e : n.inputs())
                    if (e != null && input.contains(of(e.node())) && free.contains(of(n))) changed |= input.add(of(n));
        }
    }

    private boolean isKnown(Node n) {
        return isSource(n) || free.contains(of(n)) || settled.contains(of(n));
    }

    private Placer.Group of(Node n) {
        return groups.get(n.id());
    }

    /** Neither part of a loop or a branch, nor a variable: what waits is a queue. */
    private static boolean isPlain(Placer.Group g) {
        boolean holds = false, moves = false;
        for (Node n : g.members()) {
            holds |= Placer.isHeld(n);
            moves |= n.op().isInput() || n.op().waits();
            boolean hands =
                    isSource(n) || n.op() instanceof Retval || n.op() instanceof Identity || n.op() instanceof NoOp;
            if (n.op() instanceof CoreOp && !hands) return false;
        }
        return !holds || moves;
    }

    private Map<Placer.Group, DeviceSpec> pull(Devices devices) {
        Map<Placer.Group, DeviceSpec> moved = new IdentityHashMap<>();
        for (int pass = 0; pass <= nodes.size(); pass++) {
            Map<Placer.Group, Set<DeviceSpec>> readers = readers(moved);
            boolean changed = false;
            for (Placer.Group g : free) {
                Set<DeviceSpec> at = readers.getOrDefault(g, Set.of());
                if (at.size() != 1) continue;
                DeviceSpec to = devices.near(at.iterator().next(), g.members());
                if (to == null || to == moved.getOrDefault(g, g.device())) continue;
                moved.put(g, to);
                changed = true;
            }
            if (!changed) break;
        }
        return moved;
    }

    /** Where values of input, and of what only input reads, are read. */
    private Map<Placer.Group, Set<DeviceSpec>> readers(Map<Placer.Group, DeviceSpec> moved) {
        Map<Placer.Group, Set<DeviceSpec>> all = new HashMap<>();
        Set<Placer.Group> others = new HashSet<>();
        for (Node n : nodes) {
            Placer.Group reader = of(n);
            for (Edge e : n.inputs()) {
                Placer.Group g = e == null ? null : of(e.node());
                if (g == null || g == reader || !free.contains(g)) continue;
                if (reader == null || !input.contains(g) && !input.contains(reader)) others.add(g);
                else all.computeIfAbsent(g, _ -> new HashSet<>()).add(moved.getOrDefault(reader, reader.device()));
            }
        }
        all.keySet().removeAll(others);
        return all;
    }
}
