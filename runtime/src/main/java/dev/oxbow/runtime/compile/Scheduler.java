package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Park;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.RefSwitch;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.core.ToDevice;
import dev.oxbow.graph.core.Unpark;
import dev.oxbow.graph.pass.Frames;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.HostKernel;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last stage: turns a device's graph into regions of instructions with slots for their values. */
final class Scheduler {

    /*
     * A region is a straight line, run in order by one thread at a time; Waits says which nodes share one. Values pass between
     * regions as they are made.
     */

    private final Device device;
    private final Graph graph;
    private final List<Node> nodes;
    private final Frames frames;
    private final Waits waits;

    /** By node. */
    private final Draft[] drafts;

    private final List<FrameDraft> parts = new ArrayList<>();

    private Scheduler(Graph graph, Device device) {
        this.device = device;
        this.graph = graph;
        nodes = graph.nodes();
        frames = new Frames(graph);
        waits = new Waits(graph, frames);
        drafts = new Draft[nodes.size()];
    }

    /** The program of a graph; {@code memory} says how that was made to fit a budget, null without one. */
    static DeviceProgram schedule(Graph graph, Device device, DeviceProgram.Fitted memory) {
        return new Scheduler(graph, device).build(memory);
    }

    /** For each node a number: nodes with the same number will share a region. */
    static int[] regionNumbers(Graph graph) {
        Frames frames = new Frames(graph);
        Waits waits = new Waits(graph, frames);
        Map<List<Long>, Integer> numbers = new HashMap<>();
        int[] all = new int[graph.size()];
        for (Node n : graph.nodes()) {
            List<Long> region = List.of((long) frames.of(n).number(), waits.region(n));
            all[n.id()] = numbers.computeIfAbsent(region, k -> numbers.size());
        }
        return all;
    }

    /** A frame while it is made. */
    private static final class FrameDraft {
        final Frames.Frame frame;
        final List<List<Draft>> regions = new ArrayList<>();
        final List<Draft> instructions = new ArrayList<>();
        final List<Draft> producers = new ArrayList<>();
        final List<Draft> exits = new ArrayList<>();
        final List<Draft> constantEnters = new ArrayList<>();
        final List<Draft> firstEnters = new ArrayList<>();
        int slots;
        int enters;

        FrameDraft(Frames.Frame frame) {
            this.frame = frame;
        }
    }

    /** The device's kernel, or the host's. */
    private Kernel kernel(Node n, boolean onHost) {
        try {
            if (onHost || n.op() instanceof ToDevice || n.op() instanceof Unpark) return n.op().cpu();
            if (n.op() instanceof Park)
                return c -> c.set(0, c.input(0).in(device.parking().memory(), n));
            Kernel own = device.kernel(n.op());
            return own != null ? own : HostKernel.of(n.op());
        } catch (OxbowException e) {
            throw n.located(e);
        }
    }

    private DeviceProgram build(DeviceProgram.Fitted memory) {
        for (Frames.Frame f : frames.all()) parts.add(new FrameDraft(f));
        for (Node n : nodes) drafts[n.id()] = new Draft(n, kind(n), waits.condition(n));
        makeRegions();
        makeSlots();
        connect();
        for (FrameDraft f : parts) findReleases(f);
        Instruction[] made = new Instruction[drafts.length];
        boolean[] hosts = device.space() == Space.HOST ? new boolean[drafts.length] : Residence.hosts(graph, device);
        for (Draft d : drafts) {
            boolean computes = d.kind == Instruction.Kind.KERNEL;
            boolean onHost = hosts[d.node.id()];
            made[d.node.id()] = new Instruction(d, computes ? kernel(d.node, onHost) : null, onHost);
        }
        List<FrameProgram> programs = new ArrayList<>();
        for (FrameDraft f : parts) programs.add(finished(f, programs, made));
        return new DeviceProgram(device, List.copyOf(programs), memory);
    }

    private FrameProgram finished(FrameDraft f, List<FrameProgram> outer, Instruction[] made) {
        List<Region> regions = new ArrayList<>();
        for (List<Draft> r : f.regions)
            regions.add(new Region(
                    regions.size(), finished(r, made).toArray(Instruction[]::new), waits.draws(r.getFirst().node)));
        return new FrameProgram(
                f.frame.number(),
                f.frame.name(),
                f.frame.parent() == null ? null : outer.get(f.frame.parent().number()),
                f.frame.parallelIterations(),
                List.copyOf(regions),
                finished(f.instructions, made).toArray(Instruction[]::new),
                f.instructions.stream().mapToInt(d -> d.external).toArray(),
                f.instructions.stream().mapToInt(d -> d.region).toArray(),
                f.slots,
                f.enters,
                finished(f.exits, made),
                finished(f.constantEnters, made),
                finished(f.firstEnters, made));
    }

    private static List<Instruction> finished(List<Draft> drafts, Instruction[] made) {
        return drafts.stream().map(d -> made[d.node.id()]).toList();
    }

    private FrameDraft frame(Node n) {
        return parts.get(frames.of(n).number());
    }

    private static Instruction.Kind kind(Node n) {
        return switch (n.op()) {
            case Arg a -> Instruction.Kind.ARG;
            case Retval r -> Instruction.Kind.RETVAL;
            case Switch s -> Instruction.Kind.SWITCH;
            case RefSwitch s -> Instruction.Kind.SWITCH;
            case Send s -> Instruction.Kind.SEND;
            case Recv r -> Instruction.Kind.RECV;
            case Op op
            when Frames.isMerge(op) -> Frames.isLoopMerge(n) ? Instruction.Kind.LOOP_MERGE : Instruction.Kind.MERGE;
            case Op op when Frames.isEnter(op) -> Instruction.Kind.ENTER;
            case Op op when Frames.isExit(op) -> Instruction.Kind.EXIT;
            case Op op when Frames.isNext(op) -> Instruction.Kind.NEXT_ITERATION;
            case Op op when Inline.isCall(op) -> Instruction.Kind.CALL;
            default -> Instruction.Kind.KERNEL;
        };
    }

    private void makeRegions() {
        Map<FrameDraft, Map<Long, List<Draft>>> groups = new HashMap<>();
        for (Node n : nodes)
            groups.computeIfAbsent(frame(n), f -> new LinkedHashMap<>())
                    .computeIfAbsent(waits.region(n), k -> new ArrayList<>())
                    .add(drafts[n.id()]);
        for (FrameDraft f : parts) {
            for (List<Draft> group : groups.getOrDefault(f, Map.of()).values()) {
                List<Draft> ordered = new ArrayList<>(group.size());
                for (Draft d : group) if (d.kind != Instruction.Kind.NEXT_ITERATION) ordered.add(d);
                for (Draft d : group) if (d.kind == Instruction.Kind.NEXT_ITERATION) ordered.add(d);
                for (Draft d : ordered) {
                    d.region = f.regions.size();
                    d.index = f.instructions.size();
                    f.instructions.add(d);
                }
                f.regions.add(ordered);
            }
        }
    }

    private void makeSlots() {
        int[][] consumers = new int[nodes.size()][];
        boolean[] controls = new boolean[nodes.size()];
        for (Node n : nodes) consumers[n.id()] = new int[n.outputCount()];
        for (Node n : nodes) {
            for (Edge e : n.inputs()) consumers[e.node().id()][e.port()]++;
            for (Node c : n.controls()) controls[c.id()] = true;
        }
        for (Node n : nodes) {
            Draft d = drafts[n.id()];
            FrameDraft f = parts.get(frames.ofOutputs(n).number());
            f.producers.add(d);
            d.out = new int[n.outputCount()];
            for (int p = 0; p < d.out.length; p++) d.out[p] = consumers[n.id()][p] > 0 ? f.slots++ : -1;
            if (controls[n.id()] && (waits.mayBeDead(n) || Frames.isEnter(n.op()))) d.controlOut = f.slots++;
            if (d.kind == Instruction.Kind.ENTER) {
                d.child = f.frame.number();
                f.enters++;
                if (Frames.isConstantEnter(n.op())) f.constantEnters.add(d);
            } else if (d.kind == Instruction.Kind.EXIT) {
                d.exit = frame(n).exits.size();
                frame(n).exits.add(d);
            }
        }
    }

    private void connect() {
        Map<Draft, List<Integer>> notify = new HashMap<>();
        for (Node n : nodes) {
            connectInputs(drafts[n.id()], notify);
            connectControls(drafts[n.id()], notify);
        }
        notify.forEach((d, list) -> {
            d.notify = Draft.ints(list);
            if (d.kind == Instruction.Kind.ENTER && !Frames.isConstantEnter(d.node.op())) notifyOnce(d, list);
        });
    }

    private void connectInputs(Draft d, Map<Draft, List<Integer>> notify) {
        Node n = d.node;
        d.in = new int[n.inputCount()];
        d.deref = new boolean[n.inputCount()];
        d.constant = new boolean[n.inputCount()];
        boolean heard = false;
        for (int k = 0; k < d.in.length; k++) {
            Edge e = n.input(k);
            Draft from = drafts[e.node().id()];
            d.in[k] = from.out[e.port()];
            d.deref[k] = e.type().isRef() && !n.takesRef(k);
            d.constant[k] = e.node().op() instanceof Const;
            d.mayBeDead |= waits.mayBeDead(e.node());
            if (!isExternal(from, d)) continue;
            notify.computeIfAbsent(from, x -> new ArrayList<>()).add(d.index);
            if (d.kind == Instruction.Kind.LOOP_MERGE && heard) continue; // either the entry or the back edge comes
            heard = true;
            d.external++;
        }
        if (d.kind == Instruction.Kind.LOOP_MERGE) orderLoopMerge(d);
    }

    private void connectControls(Draft d, Map<Draft, List<Integer>> notify) {
        List<Integer> dead = new ArrayList<>();
        for (Node c : d.node.controls()) {
            Draft from = drafts[c.id()];
            if (from.controlOut >= 0 && d.kind != Instruction.Kind.MERGE && !(d.node.op() instanceof ControlTrigger))
                dead.add(from.controlOut);
            if (!isExternal(from, d)) continue;
            notify.computeIfAbsent(from, x -> new ArrayList<>()).add(d.index);
            d.external++;
        }
        d.controlIn = Draft.ints(dead);
        d.mayBeDead |= d.controlIn.length > 0;
    }

    /** Readers of an Enter's value, other than a loop's Merge, live in the first iteration only. */
    private void notifyOnce(Draft enter, List<Integer> notify) {
        FrameDraft child = parts.get(enter.child);
        enter.notifyOnce = Draft.ints(notify.stream()
                .filter(r -> child.instructions.get(r).kind != Instruction.Kind.LOOP_MERGE)
                .toList());
        if (enter.notifyOnce.length == 0) return;
        child.firstEnters.add(enter);
        for (int r : enter.notifyOnce) child.instructions.get(r).mayBeDead = true;
    }

    /** An edge between regions, or one that crosses frames or iterations: its consumer must be told. */
    private boolean isExternal(Draft from, Draft to) {
        return switch (from.kind) {
            case ENTER, EXIT, NEXT_ITERATION -> true;
            default -> from.region != to.region;
        };
    }

    /** The first slot is read in the first iteration, the second in all others. */
    private static void orderLoopMerge(Draft d) {
        require(
                d.in.length == 2,
                INVALID_ARGUMENT,
                "node %s: a loop's Merge has one entry and one back edge, got %d inputs",
                d.node.name(),
                d.in.length);
        if (Frames.isNext(d.node.input(0).node().op())) d.in = new int[] {d.in[1], d.in[0]};
    }

    /** A slot that one region alone reads is freed after its last reader there; any other when the iteration ends. */
    private void findReleases(FrameDraft f) {
        Draft[] last = new Draft[f.slots];
        boolean[] shared = new boolean[f.slots];
        for (Draft d : f.instructions) {
            for (int s : d.in) {
                if (last[s] != null && last[s].region != d.region) shared[s] = true;
                last[s] = d;
            }
        }
        for (Draft e : f.constantEnters) for (int s : e.out) if (s >= 0) shared[s] = true;
        for (Draft d : f.producers) {
            d.escapes = new boolean[d.out.length];
            for (int p = 0; p < d.out.length; p++) {
                int s = d.out[p];
                boolean isInside = s >= 0 && last[s] != null && frame(d.node) == f && last[s].region == d.region;
                d.escapes[p] = s >= 0 && (shared[s] || !isInside);
            }
        }
        Map<Draft, List<Integer>> release = new HashMap<>();
        for (int s = 0; s < f.slots; s++) {
            if (last[s] != null && !shared[s])
                release.computeIfAbsent(last[s], x -> new ArrayList<>(2)).add(s);
        }
        release.forEach((d, list) -> d.release = Draft.ints(list));
    }
}
