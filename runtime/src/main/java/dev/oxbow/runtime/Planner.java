package dev.oxbow.runtime;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.RowCut;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes a region's plan from the record of one run of it. */
final class Planner {

    /** What is known of an instruction. */
    private enum Mode {
        /** Nothing: it runs as without a plan. */
        DYNAMIC,
        /** Its outputs. */
        CONSTANT,
        /** That its output is its input's memory in another shape. */
        VIEW,
        /** The types of its outputs. */
        STATIC
    }

    /** Instructions that become one call, in order; the last says where it stands. */
    record Unit(RegionPlan.Kind kind, int[] members, Fusion fusion, boolean conditional) {
        int at() {
            return members[members.length - 1];
        }
    }

    private final Instruction[] region;
    private final Recording record;
    private final boolean fuses;
    private final boolean parallel;
    private final int[] producer;
    private final int[] port;
    private final Mode[] modes;

    /** By instruction: the input whose memory its output shows, for views. */
    private final int[] views;

    /** By slot: the slot whose memory it shows, itself where it is no view's. */
    private final int[] roots;

    private final List<List<Integer>> readers = new ArrayList<>();

    /** By slot: the instructions, views left out, that read its memory through it or a view of it. */
    private final List<List<Integer>> memoryReaders = new ArrayList<>();

    /** By instruction: the unit that it is part of, -1 when it needs no call. */
    private final int[] unitOf;

    private final List<Unit> units = new ArrayList<>();
    private final List<RegionPlan.Fixed> values = new ArrayList<>();

    /** By slot: its fixed value, or -1. */
    private final int[] fixed;

    /** By slot: whether it holds its value while the plan runs. */
    private final boolean[] stored;

    /** By slot: the last unit that reads it, or a view of it. */
    private final int[] lastUse;

    private final boolean[] escapes;

    private final Map<Integer, Integer> slotOf = new HashMap<>();

    /** Values of the section being placed that are free for later units of it. */
    private final List<Integer> passed = new ArrayList<>();

    /** Values of outputs that have no slot, by instruction and port. */
    private final Map<List<Integer>, Integer> unread = new HashMap<>();

    private int conditions;
    private int[] condition;
    private boolean[] leader;

    /** By unit: whether it runs by blocks of rows. */
    private boolean[] chained;

    private List<Sections.Section> sections;

    /** By unit: the last unit of its section. */
    private final List<Integer> sectionEnd = new ArrayList<>();

    Planner(FrameProgram frame, Instruction[] region, Recording record, boolean fuses, boolean parallel) {
        this.region = region;
        this.record = record;
        this.fuses = fuses;
        this.parallel = parallel;
        int n = region.length;
        producer = new int[frame.slots];
        port = new int[frame.slots];
        fixed = new int[frame.slots];
        stored = new boolean[frame.slots];
        lastUse = new int[frame.slots];
        escapes = new boolean[frame.slots];
        unitOf = new int[n];
        modes = new Mode[n];
        views = new int[n];
        roots = new int[frame.slots];
        Arrays.fill(producer, -1);
        Arrays.fill(fixed, -1);
        Arrays.fill(lastUse, -1);
        Arrays.fill(unitOf, -1);
        for (int s = 0; s < frame.slots; s++) {
            roots[s] = s;
            readers.add(List.of());
            memoryReaders.add(new ArrayList<>(1));
        }
        for (int i = 0; i < n; i++) {
            if (isLocal(region[i])) {
                for (int p = 0; p < region[i].out.length; p++) {
                    int s = region[i].out[p];
                    if (s < 0) continue;
                    producer[s] = i;
                    port[s] = p;
                }
            }
            for (int s : region[i].in) {
                if (readers.get(s).isEmpty()) readers.set(s, new ArrayList<>(2));
                readers.get(s).add(i);
            }
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
        Fuser fuser = new Fuser(region, record, producer, readers, fuses, this::isFusible);
        List<Fusion> fusions = fuser.fuse();
        fuser.reduce(fusions, this::axes);
        units(fusions);
        arrange();
        lifetimes();
        long size = layout();
        for (int s = 0; s < stored.length; s++) stored[s] = isStored(s);
        Shape[] arguments = new Shape[n];
        int[][] fixedOutputs = new int[n][];
        for (int i = 0; i < n; i++) {
            if (region[i].kind == Instruction.Kind.ARG && region[i].out[0] >= 0) arguments[i] = record.outputs[i];
            if (!isLocal(region[i])) continue;
            int[] f = new int[region[i].out.length];
            boolean any = false;
            for (int p = 0; p < f.length; p++) {
                f[p] = region[i].out[p] < 0 ? -1 : fixed[region[i].out[p]];
                any |= f[p] >= 0;
            }
            if (any || modes[i] == Mode.CONSTANT) fixedOutputs[i] = f;
        }
        return new RegionPlan(region, values, calls(), sections, fixedOutputs, conditions, arguments, size, fusions);
    }

    private Mode mode(int i) {
        Instruction in = region[i];
        if (in.mayBeDead && in.condition == 0) return Mode.DYNAMIC; // lives in the first iteration only
        if (record.constants[i] != null) return Mode.CONSTANT;
        if (in.kind != Instruction.Kind.KERNEL || record.types[i] == null) return Mode.DYNAMIC;
        for (TensorType t : record.types[i]) if (!t.isAllocatable() || t.dtype().isObject()) return Mode.DYNAMIC;
        int view = shared(i);
        views[i] = view;
        if (view < 0) return Mode.STATIC;
        int source = producer[in.in[view]];
        if (source >= 0 && modes[source] != Mode.DYNAMIC && !in.deref[view]) return Mode.VIEW;
        return in.node.op().view() < 0 ? Mode.STATIC : Mode.DYNAMIC;
    }

    /** The input whose memory the output of an instruction may share; -1 for none. */
    private int shared(int i) {
        Op op = region[i].node.op();
        if (op.view() >= 0) return op.view();
        if (record.types[i].length != 1 || op.effects() != Effects.NONE || !UnitView.isKnown(this, i)) return -1;
        return op.viewOf(UnitView.known(this, i), List.of(record.types[i]));
    }

    private boolean isFusible(int i) {
        Instruction in = region[i];
        if (modes[i] != Mode.STATIC
                || !(in.node.op() instanceof Elementwise)
                || in.node.op().effects() != Effects.NONE
                || !((Elementwise) in.node.op()).broadcasts()) return false;
        for (boolean d : in.deref) if (d) return false;
        Shape shape = record.types[i][0].shape();
        for (TensorType t : record.types[i]) if (!t.shape().equals(shape)) return false;
        int operands = ((Elementwise) in.node.op()).operands(in.in.length);
        for (int k = 0; k < operands; k++) // Equal has an answer for shapes that do not broadcast, too
        if (!broadcasts(record.shapes.get(in.in[k]), shape)) return false;
        return shape.size() > 0;
    }

    /** The axes of a reduction that is planned, or null. */
    private int[] axes(int i) {
        if (modes[i] != Mode.STATIC || region[i].deref[0]) return null;
        return ((Reducing) region[i].node.op()).axes(UnitView.known(this, i));
    }

    private static boolean broadcasts(Shape from, Shape to) {
        if (!from.isFullyKnown() || from.rank() > to.rank()) return false;
        for (int d = 1; d <= from.rank(); d++) if (from.dim(-d) != 1 && from.dim(-d) != to.dim(-d)) return false;
        return true;
    }

    // ---- what sections ask

    Instruction[] region() {
        return region;
    }

    List<Unit> units() {
        return units;
    }

    int slots() {
        return producer.length;
    }

    int producer(int slot) {
        return producer[slot];
    }

    int unitOf(int instruction) {
        return unitOf[instruction];
    }

    TensorType[] types(int instruction) {
        return record.types[instruction];
    }

    Shape shapeOf(int slot) {
        return record.shapes.get(slot);
    }

    /** The value of a slot where the plan knows it. */
    Tensor constant(int slot) {
        int p = producer[slot];
        return p >= 0 && modes[p] == Mode.CONSTANT ? record.constants[p][port[slot]] : null;
    }

    /** Which inputs of a kernel are cut when it runs by rows; null when it cannot. */
    boolean[] cut(Unit u) {
        if (u.kind != RegionPlan.Kind.KERNEL) return null;
        if (u.fusion == null) {
            for (boolean d : region[u.at()].deref) if (d) return null;
            RowCut c = UnitView.cut(this, u.at());
            return c == null ? null : c.inputs();
        }
        if (u.fusion.reduces() && (u.fusion.axes()[0] == 0 || u.fusion.shape().rank() < 2)) return null;
        boolean[] cut = new boolean[u.fusion.inputSlots().length];
        for (int k = 0; k < cut.length; k++)
            cut[k] = RowCut.isCut(record.shapes.get(u.fusion.inputSlots()[k]), u.fusion.shape());
        return cut;
    }

    /** Whether a slot is read by rows only. */
    boolean isCut(Unit u, boolean[] cut, int slot) {
        int[] slots = u.fusion != null ? u.fusion.inputSlots() : region[u.at()].in;
        boolean all = true;
        for (int k = 0; k < slots.length; k++) if (slots[k] == slot) all &= cut[k];
        return all;
    }

    /** Into how many equal pieces a kernel that is cut by rows may fall. */
    long pieces(Unit u, boolean[] cut) {
        long multiple = u.fusion != null ? 1 : UnitView.cut(this, u.at()).multiple();
        int[] slots = u.fusion != null ? u.fusion.inputSlots() : region[u.at()].in;
        long pieces = 0;
        for (int[] out : outputs(u)) {
            Shape s = record.types[out[0]][out[1]].shape();
            if (s.rank() == 0 || s.size() == 0 || s.dim(0) % multiple != 0) return 0;
            pieces = Sections.gcd(pieces, s.dim(0) / multiple);
        }
        for (int k = 0; k < slots.length; k++) {
            if (!cut[k]) continue;
            Shape s = record.shapes.get(slots[k]);
            if (s == null || s.rank() == 0) return 0;
            pieces = Sections.gcd(pieces, s.dim(0));
        }
        return pieces;
    }

    // ---- units

    private void units(List<Fusion> fusions) {
        Map<Integer, Fusion> at = new HashMap<>();
        boolean[] part = new boolean[region.length];
        for (Fusion f : fusions) {
            at.put(f.members()[f.members().length - 1], f);
            for (int m : f.members()) part[m] = true;
        }
        // a view whose source leaves the region is made when it is wanted, so escapes are needed before units
        escapes();
        for (int i = 0; i < region.length; i++) {
            if (modes[i] != Mode.VIEW) continue;
            int shown = region[i].in[views[i]];
            if (modes[producer[shown]] == Mode.DYNAMIC || escapes[roots[shown]])
                modes[i] = region[i].node.op().view() < 0 ? Mode.STATIC : Mode.DYNAMIC;
            else roots[region[i].out[0]] = roots[shown];
        }
        for (int i = 0; i < region.length; i++) {
            if (modes[i] == Mode.VIEW) continue;
            for (int s : region[i].in) memoryReaders.get(roots[s]).add(i);
        }
        for (int i = 0; i < region.length; i++) {
            Fusion f = at.get(i);
            if (f == null && part[i]) continue;
            int[] members = f == null ? new int[] {i} : f.members();
            RegionPlan.Kind kind = switch (modes[i]) {
                case DYNAMIC -> RegionPlan.Kind.GENERAL;
                case CONSTANT, VIEW -> RegionPlan.Kind.STORE;
                case STATIC -> RegionPlan.Kind.KERNEL;
            };
            boolean conditional = false;
            for (int m : members) conditional |= region[m].mayBeDead;
            if (kind == RegionPlan.Kind.STORE && !conditional && !isWatched(region[i]) && !isGuarded(i)) continue;
            for (int m : members) unitOf[m] = units.size();
            units.add(new Unit(kind, members, f, conditional));
        }
    }

    /** Brings the units into the order of their sections. */
    private void arrange() {
        sections = parallel ? Sections.of(new UnitView(this)) : null;
        if (sections == null) {
            sections = new ArrayList<>();
            for (int u = 0; u < units.size(); u++) sections.add(new Sections.Section(List.of(u), 0));
        }
        List<Unit> ordered = new ArrayList<>();
        List<Sections.Section> renumbered = new ArrayList<>();
        for (Sections.Section s : sections) {
            List<Integer> numbers = new ArrayList<>();
            for (int u : s.units()) {
                numbers.add(ordered.size());
                for (int m : units.get(u).members) unitOf[m] = ordered.size();
                ordered.add(units.get(u));
            }
            for (int ignored : numbers) sectionEnd.add(numbers.getLast());
            renumbered.add(new Sections.Section(numbers, s.blocks()));
        }
        units.clear();
        units.addAll(ordered);
        sections = renumbered;
        Map<Integer, Integer> numbers = new HashMap<>();
        condition = new int[units.size()];
        chained = new boolean[units.size()];
        for (Sections.Section c : sections) for (int u : c.units()) chained[u] = c.blocks() > 0;
        leader = new boolean[units.size()];
        for (int u = 0; u < condition.length; u++) {
            Unit unit = units.get(u);
            if (!unit.conditional || unit.kind == RegionPlan.Kind.GENERAL) continue;
            leader[u] = !numbers.containsKey(region[unit.at()].condition);
            condition[u] = numbers.computeIfAbsent(region[unit.at()].condition, k -> ++conditions);
        }
    }

    /** Whether a constant followed from shapes that the plan does not decide, so that they must be checked. */
    private boolean isGuarded(int i) {
        if (modes[i] != Mode.CONSTANT) return false;
        for (int k = 0; k < region[i].in.length; k++) if (isOpen(i, k)) return true;
        return false;
    }

    /** Whether the shape of an input may differ from run to run; those of arguments choose the plan. */
    private boolean isOpen(int i, int k) {
        int p = producer[region[i].in[k]];
        if (p < 0 || region[i].deref[k]) return true;
        return modes[p] == Mode.DYNAMIC && region[p].kind != Instruction.Kind.ARG;
    }

    /** Whether somebody outside of the plan waits for a value that the plan has already. */
    private boolean isWatched(Instruction i) {
        if (i.notify.length > 0 || i.controlOut >= 0 || i.external > 0) return true;
        for (int p = 0; p < i.out.length; p++) {
            if (i.out[p] < 0) continue;
            if (i.escapes[p]) return true;
            for (int r : readers.get(i.out[p])) if (modes[r] == Mode.DYNAMIC || region[r].mayBeDead) return true;
        }
        return false;
    }

    // ---- lifetimes

    /** Finds the slots whose values leave the region's memory: to other regions, to the caller, to whoever keeps them. */
    private void escapes() {
        for (int i = 0; i < region.length; i++) {
            if (!isLocal(region[i])) continue;
            for (int p = 0; p < region[i].out.length; p++)
                if (region[i].out[p] >= 0 && region[i].escapes[p]) escapes[region[i].out[p]] = true;
        }
        for (int i = region.length - 1; i >= 0; i--) {
            for (int k = 0; k < region[i].in.length; k++) {
                int s = region[i].in[k];
                if (leaves(i, k)) escapes[s] = true;
                if (shares(i, k)) for (int o : region[i].out) if (o >= 0) escapes[s] |= escapes[o];
            }
        }
    }

    private boolean leaves(int i, int input) {
        return switch (region[i].kind) {
            case ENTER, EXIT, NEXT_ITERATION, RETVAL, SEND, CALL -> true;
            default -> {
                if (record.kept[i] != null && record.kept[i][input]) yield true;
                for (TensorType t : region[i].node.outputs())
                    if (t.dtype() == DType.VARIANT || t.dtype() == DType.RESOURCE) yield true;
                yield false;
            }
        };
    }

    /** Whether an output may be the memory of this input. */
    private boolean shares(int i, int input) {
        if (!isLocal(region[i])) return false;
        return switch (modes[i]) {
            case CONSTANT, STATIC -> false;
            case VIEW -> views[i] == input;
            case DYNAMIC -> true;
        };
    }

    /** The slot whose memory a view's slot shows; the slot itself when it is no view. */
    int root(int slot) {
        return roots[slot];
    }

    private void lifetimes() {
        for (int u = 0; u < units.size(); u++)
            for (int m : units.get(u).members) for (int s : region[m].in) lastUse[s] = Math.max(lastUse[s], u);
        for (int i = region.length - 1; i >= 0; i--) {
            for (int k = 0; k < region[i].in.length; k++) {
                if (!shares(i, k)) continue;
                for (int o : region[i].out)
                    if (o >= 0) lastUse[region[i].in[k]] = Math.max(lastUse[region[i].in[k]], lastUse[o]);
            }
        }
    }

    /** Whether readers look for the value in its slot, because they are not bound to it. */
    private boolean isStored(int s) {
        int p = producer[s];
        if (fixed[s] < 0) return true;
        if (region[p].escapes[port[s]]) return true;
        for (int r : readers.get(s)) {
            if (unitOf[r] < 0) continue;
            Unit u = units.get(unitOf[r]);
            if (u.kind == RegionPlan.Kind.GENERAL || leader[unitOf[r]] && unitOf[r] != unitOf[p]) return true;
        }
        return false;
    }

    // ---- memory

    private long layout() {
        BlockLayout layout = new BlockLayout();
        List<List<Integer>> dying = new ArrayList<>();
        for (int u = 0; u < units.size(); u++) dying.add(new ArrayList<>());
        for (int i = 0; i < region.length; i++) {
            if (modes[i] != Mode.CONSTANT) continue;
            for (int p = 0; p < region[i].out.length; p++) {
                int s = region[i].out[p];
                if (s < 0) continue;
                Tensor t = record.constants[i][p];
                fixed[s] = add(new RegionPlan.Fixed(TensorType.of(t), -1, t));
            }
        }
        for (int u = 0; u < units.size(); u++) {
            Unit unit = units.get(u);
            if (unit.kind == RegionPlan.Kind.KERNEL) {
                for (int[] out : outputs(unit)) place(u, out[0], out[1], dying, layout);
            }
            passed.addAll(dying.get(u));
            if (sectionEnd.get(u) > u) continue;
            for (int v : passed) {
                RegionPlan.Fixed f = values.get(v);
                layout.give(f.offset(), RegionPlan.bytes(f.type()));
            }
            passed.clear();
        }
        views();
        return layout.size();
    }

    /** Gives views the place of what they show. */
    private void views() {
        for (int i = 0; i < region.length; i++) {
            if (modes[i] != Mode.VIEW) continue;
            int s = region[i].out[0], source = fixed[roots[s]];
            if (source < 0) continue;
            RegionPlan.Fixed f = values.get(source);
            TensorType type = record.types[i][0];
            Tensor constant = f.constant() == null
                    ? null
                    : f.constant().reshaped(type.shape()).guarded();
            fixed[s] = add(new RegionPlan.Fixed(type, f.offset(), constant));
        }
    }

    private int add(RegionPlan.Fixed f) {
        values.add(f);
        return values.size() - 1;
    }

    /** The outputs of a kernel's call, as pairs of instruction and port. */
    private int[][] outputs(Unit u) {
        if (u.fusion != null) return u.fusion.outputs();
        int[][] all = new int[region[u.at()].out.length][];
        for (int p = 0; p < all.length; p++) all[p] = new int[] {u.at(), p};
        return all;
    }

    private void place(int u, int member, int p, List<List<Integer>> dying, BlockLayout layout) {
        int s = region[member].out[p];
        if (s >= 0 && escapes[s]) return;
        TensorType type = record.types[member][p];
        long bytes = RegionPlan.bytes(type);
        long offset = -1;
        if (UnitView.worksInPlace(this, units.get(u).at())) {
            for (int k = 0; k < dying.get(u).size() && offset < 0; k++) {
                int other = dying.get(u).get(k);
                RegionPlan.Fixed f = values.get(other);
                if (RegionPlan.bytes(f.type()) != bytes || !isRead(u, other, type.shape()) || !mayOverwrite(u, other))
                    continue;
                offset = f.offset();
                dying.get(u).remove(k);
            }
        }
        for (int k = 0; chained[u] && k < passed.size() && offset < 0; k++) {
            // in a chain each block of rows finds its own rows free where a value of the same size was
            RegionPlan.Fixed f = values.get(passed.get(k));
            if (RegionPlan.bytes(f.type()) != bytes) continue;
            offset = f.offset();
            passed.remove(k);
        }
        if (offset < 0) offset = layout.take(bytes);
        int value = add(new RegionPlan.Fixed(type, offset, null));
        if (s < 0) unread.put(List.of(member, p), value);
        else {
            fixed[s] = value;
            slotOf.put(value, s);
        }
        dying.get(end(u, s)).add(value);
    }

    /** Whether no other thread may still read a value while unit {@code u} writes over it. */
    private boolean mayOverwrite(int u, int value) {
        Integer s = slotOf.get(value);
        if (chained[u]) return s != null && lastUse[s] == u && isCutOnly(s, sectionEnd.get(u));
        return sectionEnd.get(u) == u && (u == 0 || sectionEnd.get(u - 1) != u);
    }

    /** The unit after which a value that unit {@code u} makes is free. */
    private int end(int u, int s) {
        int last = s < 0 ? u : Math.max(u, lastUse[s]), end = sectionEnd.get(last);
        return chained[last] && isCutOnly(s, end) ? last : end;
    }

    /** Whether all readers of a slot, and of its views, within a section read it by rows. */
    private boolean isCutOnly(int s, int end) {
        if (s < 0) return true;
        for (int r : memoryReaders.get(s)) {
            if (unitOf[r] < 0 || unitOf[r] == unitOf[producer[s]] || sectionEnd.get(unitOf[r]) != end) continue;
            Unit unit = units.get(unitOf[r]);
            boolean[] cut = cut(unit);
            if (cut == null) return false;
            for (int in : region[r].in) if (roots[in] == s && !isCut(unit, cut, in)) return false;
        }
        return true;
    }

    /** Whether a unit reads a value's memory elementwise and in no other way. */
    private boolean isRead(int u, int value, Shape shape) {
        Unit unit = units.get(u);
        boolean found = false;
        for (int m : unit.members) {
            for (int s : region[m].in) {
                if (fixed[roots[s]] != value) continue;
                if (!shape(s).equals(shape)) return false;
                found = true;
            }
        }
        return found;
    }

    private Shape shape(int s) {
        return record.types[producer[s]][port[s]].shape();
    }

    // ---- calls

    private List<RegionPlan.Call> calls() {
        List<List<Integer>> release = new ArrayList<>();
        for (int u = 0; u < units.size(); u++) release.add(new ArrayList<>());
        for (Instruction i : region) {
            for (int s : i.release) {
                if (!stored[s] || units.isEmpty()) continue;
                int last = -1;
                for (int r : readers.get(s)) last = Math.max(last, unitOf[r] < 0 ? -1 : sectionEnd.get(unitOf[r]));
                if (last < 0 && producer[s] >= 0 && unitOf[producer[s]] >= 0)
                    last = sectionEnd.get(unitOf[producer[s]]);
                release.get(last < 0 ? units.size() - 1 : last).add(s);
            }
        }
        List<RegionPlan.Call> calls = new ArrayList<>();
        for (int u = 0; u < units.size(); u++) {
            Unit unit = units.get(u);
            Instruction last = region[unit.at()];
            Kernel kernel = unit.kind != RegionPlan.Kind.KERNEL
                    ? null
                    : unit.fusion != null ? unit.fusion.bound() : last.kernel;
            calls.add(new RegionPlan.Call(
                    unit.kind,
                    unit.members,
                    kernel,
                    inputs(unit),
                    chained[u] ? cut(unit) : null,
                    results(unit),
                    condition[u],
                    leader[u],
                    release.get(u).stream().mapToInt(Integer::intValue).toArray()));
        }
        return calls;
    }

    private RegionPlan.Source[] guards(int i) {
        List<RegionPlan.Source> all = new ArrayList<>();
        for (int k = 0; k < region[i].in.length && modes[i] == Mode.CONSTANT; k++) {
            int s = region[i].in[k];
            if (isOpen(i, k) && record.shapes.get(s) != null)
                all.add(new RegionPlan.Source(-1, s, region[i].deref[k], record.shapes.get(s)));
        }
        return all.toArray(RegionPlan.Source[]::new);
    }

    private RegionPlan.Source[] inputs(Unit u) {
        if (u.kind == RegionPlan.Kind.STORE) return guards(u.at());
        if (u.kind != RegionPlan.Kind.KERNEL) return new RegionPlan.Source[0];
        int[] slots = u.fusion != null ? u.fusion.inputSlots() : region[u.at()].in;
        RegionPlan.Source[] all = new RegionPlan.Source[slots.length];
        for (int k = 0; k < slots.length; k++) {
            int s = slots[k], p = producer[s];
            boolean dereferences = u.fusion == null && region[u.at()].deref[k];
            if (fixed[s] >= 0 && !dereferences) {
                all[k] = new RegionPlan.Source(fixed[s], -1, false, null);
                continue;
            }
            boolean sure = p >= 0 && modes[p] != Mode.DYNAMIC && !dereferences;
            all[k] = new RegionPlan.Source(-1, s, dereferences, sure ? null : record.shapes.get(s));
        }
        return all;
    }

    private RegionPlan.Result[] results(Unit u) {
        return switch (u.kind) {
            case GENERAL -> new RegionPlan.Result[0];
            case STORE -> {
                List<RegionPlan.Result> list = new ArrayList<>();
                for (int s : region[u.at()].out)
                    if (s >= 0 && stored[s] && fixed[s] >= 0) list.add(new RegionPlan.Result(fixed[s], null, s));
                yield list.toArray(RegionPlan.Result[]::new);
            }
            case KERNEL -> {
                int[][] outputs = outputs(u);
                RegionPlan.Result[] all = new RegionPlan.Result[outputs.length];
                for (int k = 0; k < all.length; k++) {
                    int s = region[outputs[k][0]].out[outputs[k][1]];
                    TensorType t = record.types[outputs[k][0]][outputs[k][1]];
                    all[k] = s < 0
                            ? new RegionPlan.Result(unread.get(List.of(outputs[k][0], outputs[k][1])), t, -1)
                            : new RegionPlan.Result(fixed[s], t, stored[s] ? s : -1);
                }
                yield all;
            }
        };
    }
}
