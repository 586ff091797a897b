package dev.oxbow.runtime;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes a region's plan from the record of one run of it. */
final class Planner {

    /** Fused kernels stay below the size at which the JIT compiler gives up. */
    private static final int MOST_NODES = 120;

    private static final int MOST_MEMBERS = 32;
    private static final int MOST_INPUTS = 16;

    private final Instruction[] region;
    private final Recording record;
    private final int[] producer;
    private final RegionPlan.Mode[] modes;
    private final Fusion[] fusions;
    private final int[] runsAt;
    private final Map<Integer, List<Integer>> readers = new HashMap<>();

    Planner(FrameProgram frame, Instruction[] region, Recording record) {
        this.region = region;
        this.record = record;
        int n = region.length;
        producer = new int[frame.slots];
        Arrays.fill(producer, -1);
        modes = new RegionPlan.Mode[n];
        fusions = new Fusion[n];
        runsAt = new int[n];
        for (int i = 0; i < n; i++) {
            runsAt[i] = i;
            for (int s : region[i].out) if (s >= 0 && isLocal(region[i])) producer[s] = i;
            for (int s : region[i].in)
                readers.computeIfAbsent(s, k -> new ArrayList<>()).add(i);
        }
    }

    private static boolean isLocal(Instruction i) {
        return switch (i.kind) {
            case ENTER, EXIT, NEXT_ITERATION -> false;
            default -> true;
        };
    }

    RegionPlan plan() {
        int n = region.length;
        for (int i = 0; i < n; i++) modes[i] = mode(i);
        fuse();
        RegionPlan.Guard[] guards = new RegionPlan.Guard[n];
        Shape[] arguments = new Shape[n];
        for (int i = 0; i < n; i++) {
            guards[i] = guard(i);
            if (region[i].kind == Instruction.Kind.ARG && region[i].out[0] >= 0) arguments[i] = record.outputs[i];
        }
        long[][] offsets = new long[n][];
        long size = layout(offsets);
        Tensor[][] constants = new Tensor[n][];
        for (int i = 0; i < n; i++) if (modes[i] == RegionPlan.Mode.CONSTANT) constants[i] = record.constants[i];
        return new RegionPlan(
                region, modes, guards, record.types, offsets, constants, fusions, arguments, releases(), size);
    }

    private RegionPlan.Mode mode(int i) {
        Instruction in = region[i];
        if (record.constants[i] != null) return RegionPlan.Mode.CONSTANT;
        if (in.kind != Instruction.Kind.KERNEL || record.types[i] == null || in.out.length == 0)
            return RegionPlan.Mode.DYNAMIC;
        for (TensorType t : record.types[i])
            if (!t.isAllocatable() || t.dtype().isObject()) return RegionPlan.Mode.DYNAMIC;
        return RegionPlan.Mode.STATIC;
    }

    // ---- fusion

    private void fuse() {
        int[] group = new int[region.length];
        Arrays.fill(group, -1);
        Map<Integer, List<Integer>> groups = new HashMap<>();
        for (int i = 0; i < region.length; i++) {
            if (!isFusible(i)) continue;
            for (int s : region[i].in) {
                int p = producer[s];
                if (p < 0 || !isFusible(p) || !shape(p).equals(shape(i)) || region[p].condition != region[i].condition)
                    continue;
                int g = group[p] >= 0 ? group[p] : p;
                List<Integer> members = groups.getOrDefault(g, List.of(p));
                if (group[i] >= 0 || !canJoin(members, i)) continue;
                List<Integer> grown = new ArrayList<>(members);
                grown.add(i);
                groups.put(g, grown);
                for (int m : grown) group[m] = g;
            }
        }
        groups.values().forEach(this::makeFusion);
    }

    private boolean isFusible(int i) {
        Instruction in = region[i];
        if (modes[i] != RegionPlan.Mode.STATIC
                || !(in.node.op() instanceof Elementwise)
                || in.node.op().effects() != Effects.NONE) return false;
        for (boolean d : in.deref) if (d) return false;
        for (TensorType t : record.types[i]) if (!t.shape().equals(shape(i))) return false;
        return shape(i).size() > 0 && in.external == 0;
    }

    private Shape shape(int i) {
        return record.types[i][0].shape();
    }

    /** The group runs where its last member stands, so nobody else may want a member's output before that. */
    private boolean canJoin(List<Integer> members, int i) {
        if (members.size() >= MOST_MEMBERS) return false;
        for (int m : members) {
            if (region[m].notify.length > 0 && i != m) return false;
            for (int s : region[m].out) {
                if (s < 0) continue;
                for (int r : readers.getOrDefault(s, List.of()))
                    if (r != i && !members.contains(r) && r < i) return false;
            }
        }
        return true;
    }

    private void makeFusion(List<Integer> members) {
        Map<Integer, Integer> inputs = new HashMap<>();
        List<Integer> slots = new ArrayList<>();
        Map<Integer, Expr> values = new HashMap<>();
        List<Expr> outputs = new ArrayList<>();
        List<int[]> places = new ArrayList<>();
        for (int m : members) {
            List<Expr> args = new ArrayList<>();
            for (int k = 0; k < region[m].in.length; k++) {
                int s = region[m].in[k];
                Expr known = values.get(s);
                if (known == null) {
                    int number = inputs.computeIfAbsent(s, x -> {
                        slots.add(x);
                        return slots.size() - 1;
                    });
                    known = Expr.input(number, region[m].node.input(k).type().dtype());
                    values.put(s, known);
                }
                args.add(known);
            }
            List<Expr> made = ((Elementwise) region[m].node.op()).expressions(args);
            for (int p = 0; p < made.size(); p++) {
                int s = region[m].out[p];
                if (s < 0) continue;
                values.put(s, made.get(p));
                boolean read = region[m].escapes[p];
                for (int r : readers.getOrDefault(s, List.of())) read |= !members.contains(r);
                if (!read) continue;
                outputs.add(made.get(p));
                places.add(new int[] {m, p});
            }
        }
        if (outputs.isEmpty()
                || slots.size() > MOST_INPUTS
                || Expr.nodes(outputs).size() > MOST_NODES) return;
        int last = members.getLast();
        for (int m : members) {
            modes[m] = RegionPlan.Mode.FUSED_PART;
            runsAt[m] = last;
        }
        modes[last] = RegionPlan.Mode.FUSED;
        fusions[last] = new Fusion(
                members.stream().mapToInt(Integer::intValue).toArray(),
                slots.stream().mapToInt(Integer::intValue).toArray(),
                shape(last),
                places.toArray(int[][]::new),
                ElementwiseKernel.of(outputs));
    }

    /** The slots that instructions release, each after the last place where it is really read. */
    private int[][] releases() {
        List<List<Integer>> lists = new ArrayList<>();
        for (int i = 0; i < region.length; i++) lists.add(new ArrayList<>());
        for (Instruction i : region) {
            for (int s : i.release) {
                int last = 0;
                for (int r : readers.get(s)) last = Math.max(last, runsAt[r]);
                lists.get(last).add(s);
            }
        }
        return lists.stream()
                .map(l -> l.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
    }

    // ---- guards

    private RegionPlan.Guard guard(int i) {
        return switch (modes[i]) {
            case DYNAMIC, FUSED_PART -> RegionPlan.Guard.NONE;
            case CONSTANT, STATIC -> guard(i, region[i].in);
            case FUSED -> guard(i, fusions[i].inputSlots());
        };
    }

    private RegionPlan.Guard guard(int i, int[] slots) {
        List<Integer> positions = new ArrayList<>();
        List<Shape> shapes = new ArrayList<>();
        for (int k = 0; k < slots.length; k++) {
            int p = producer[slots[k]];
            boolean sure = p >= 0 && modes[p] != RegionPlan.Mode.DYNAMIC && !(fusions[i] == null && region[i].deref[k]);
            if (sure) continue;
            positions.add(k);
            shapes.add(record.shapes.get(slots[k]));
        }
        if (positions.isEmpty()) return RegionPlan.Guard.NONE;
        return new RegionPlan.Guard(
                positions.stream().mapToInt(Integer::intValue).toArray(), shapes.toArray(Shape[]::new));
    }

    // ---- memory

    private long layout(long[][] offsets) {
        int n = region.length;
        int[] lastUse = new int[producer.length];
        boolean[] escapes = new boolean[producer.length];
        Arrays.fill(lastUse, -1);
        readers.forEach((s, list) -> {
            for (int r : list) lastUse[s] = Math.max(lastUse[s], runsAt[r]);
        });
        for (int i = 0; i < n; i++) {
            if (!isLocal(region[i])) continue;
            for (int p = 0; p < region[i].out.length; p++)
                if (region[i].out[p] >= 0 && region[i].escapes[p]) escapes[region[i].out[p]] = true;
        }
        for (int i = n - 1; i >= 0; i--) {
            Instruction in = region[i];
            boolean leaves = switch (in.kind) {
                case ENTER, EXIT, NEXT_ITERATION, RETVAL, SEND, CALL -> true;
                default -> RegionPlan.mayKeepInputs(in);
            };
            boolean aliases =
                    in.kind != Instruction.Kind.KERNEL || in.suppliesOutputs || modes[i] == RegionPlan.Mode.DYNAMIC;
            for (int s : in.in) {
                if (leaves) escapes[s] = true;
                if (!aliases) continue;
                for (int o : in.out) {
                    if (o < 0 || !isLocal(in)) continue;
                    lastUse[s] = Math.max(lastUse[s], lastUse[o]);
                    escapes[s] |= escapes[o];
                }
            }
        }
        RegionPlan.Layout layout = new RegionPlan.Layout();
        long[] place = new long[producer.length];
        long[] size = new long[producer.length];
        Arrays.fill(place, -1);
        List<List<Integer>> dying = new ArrayList<>();
        for (int i = 0; i < n; i++) dying.add(new ArrayList<>());
        for (int i = 0; i < n; i++) {
            if (modes[i] == RegionPlan.Mode.STATIC) {
                offsets[i] = new long[region[i].out.length];
                for (int p = 0; p < region[i].out.length; p++)
                    offsets[i][p] = place(i, i, p, escapes, lastUse, place, size, dying, layout);
            } else if (modes[i] == RegionPlan.Mode.FUSED) {
                offsets[i] = new long[fusions[i].outputs().length];
                for (int k = 0; k < offsets[i].length; k++) {
                    int[] out = fusions[i].outputs()[k];
                    offsets[i][k] = place(i, out[0], out[1], escapes, lastUse, place, size, dying, layout);
                }
            }
            for (int s : dying.get(i)) if (place[s] >= 0) layout.give(place[s], size[s]);
        }
        return layout.size();
    }

    /** The offset of an output in the block, or -1 when it leaves the region and needs memory of its own. */
    private long place(
            int at,
            int member,
            int port,
            boolean[] escapes,
            int[] lastUse,
            long[] place,
            long[] size,
            List<List<Integer>> dying,
            RegionPlan.Layout layout) {
        int s = region[member].out[port];
        if (s < 0 || escapes[s] || lastUse[s] < at) return -1;
        long bytes = RegionPlan.bytes(record.types[member][port]);
        if (region[at].node.op() instanceof Elementwise) {
            for (int other : dying.get(at)) {
                // an elementwise kernel may write over an input of the same size that nobody reads any more
                if (place[other] < 0 || size[other] != bytes || !isInput(at, other)) continue;
                place[s] = place[other];
                size[s] = bytes;
                place[other] = -1;
                dying.get(lastUse[s]).add(s);
                return place[s];
            }
        }
        place[s] = layout.take(bytes);
        size[s] = bytes;
        dying.get(lastUse[s]).add(s);
        return place[s];
    }

    /** Whether a slot is read elementwise, not broadcast, by what runs here. */
    private boolean isInput(int at, int slot) {
        int[] slots = fusions[at] != null ? fusions[at].inputSlots() : region[at].in;
        Shape out = shape(at);
        for (int s : slots) {
            int p = producer[s];
            if (s != slot || p < 0 || record.types[p] == null) continue;
            for (int k = 0; k < region[p].out.length; k++)
                if (region[p].out[k] == s) return record.types[p][k].shape().equals(out);
        }
        return false;
    }
}
