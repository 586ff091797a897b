package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A region's units as {@link Sections} sees them: what they depend on, and how they can be cut. */
final class UnitView implements Sections.View {

    /** Bytes that an update reads from which it is worth a place of its own in the order. */
    private static final long LARGE_UPDATE = 1 << 18;

    private final Units units;
    private final RegionFacts facts;
    private final Instruction[] region;
    private final Map<Node, Integer> index = new HashMap<>();
    private final List<List<Integer>> after = new ArrayList<>();
    private final List<List<Integer>> rowsAfter = new ArrayList<>();
    private final long[] pieces;

    /** By update: the units that must have run before it, or it would copy. */
    private final Map<Integer, Set<Integer>> holders = new HashMap<>();

    UnitView(Units units) {
        this.units = units;
        this.facts = units.facts;
        this.region = facts.region;
        for (int i = 0; i < region.length; i++) index.put(region[i].node, i);
        pieces = new long[units.count()];
        List<Set<Integer>> behind = new ArrayList<>(), checks = new ArrayList<>();
        for (int i = 0; i < region.length; i++) {
            behind.add(behind(i, behind));
            checks.add(checks(i, checks));
        }
        for (int u = 0; u < units.count(); u++) {
            Units.Unit unit = units.get(u);
            boolean[] cut = units.cut(unit);
            pieces[u] = cut == null ? 0 : units.pieces(unit, cut);
            Set<Integer> whole = new HashSet<>(), rows = new HashSet<>();
            for (int m : unit.members()) {
                for (int s : region[m].in) {
                    Set<Integer> into = cut != null && units.isCut(unit, cut, s) ? rows : whole;
                    int p = facts.producer[s];
                    if (p >= 0 && units.of(p) >= 0) into.add(units.of(p));
                    if (p >= 0) whole.addAll(checks.get(p));
                    int source = facts.producer[facts.roots[s]];
                    if (source >= 0 && units.of(source) >= 0) into.add(units.of(source));
                }
                for (Node c : region[m].node.controls())
                    if (index.containsKey(c)) whole.addAll(behind.get(index.get(c)));
            }
            whole.remove(u);
            rows.remove(u);
            after.add(List.copyOf(whole));
            rowsAfter.add(List.copyOf(rows));
        }
    }

    /** The units that check shapes which a constant, or the shape of a view, followed from. */
    private Set<Integer> checks(int i, List<Set<Integer>> before) {
        int u = units.of(i);
        if (u >= 0) return units.get(u).kind() == RegionPlan.Kind.STORE ? Set.of(u) : Set.of();
        Set<Integer> all = Set.of();
        for (int s : region[i].in) {
            int p = facts.producer[s];
            if (p >= 0) all = union(all, before.get(p));
        }
        return all;
    }

    /** The units that have run when an instruction has. */
    private Set<Integer> behind(int i, List<Set<Integer>> before) {
        if (units.of(i) >= 0) return Set.of(units.of(i));
        Set<Integer> all = Set.of();
        for (int s : region[i].in) {
            int p = facts.producer[s];
            if (p >= 0) all = union(all, before.get(p));
        }
        for (Node c : region[i].node.controls()) if (index.containsKey(c)) all = union(all, before.get(index.get(c)));
        return all;
    }

    private static Set<Integer> union(Set<Integer> a, Set<Integer> b) {
        if (a.containsAll(b)) return a;
        if (b.containsAll(a)) return b;
        Set<Integer> both = new HashSet<>(a);
        both.addAll(b);
        return both;
    }

    @Override
    public int count() {
        return units.count();
    }

    @Override
    public boolean isMovable(int u) {
        for (int m : units.get(u).members()) {
            Instruction i = region[m];
            if (i.node.op().waits()) return false;
            switch (i.kind) {
                case ARG, RETVAL, NEXT_ITERATION, EXIT -> {}
                case KERNEL -> {
                    if (i.notify.length > 0) return false; // others wait for it
                }
                default -> {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public boolean isParallel(int u) {
        return units.get(u).kind() == RegionPlan.Kind.KERNEL;
    }

    @Override
    public boolean hasEffects(int u) {
        for (int m : units.get(u).members()) {
            Effects e = region[m].node.op().effects();
            if (e == Effects.READS || e == Effects.WRITES) return true;
        }
        return false;
    }

    @Override
    public boolean conflict(int u, int v) {
        if (!hasEffects(u) || !hasEffects(v) || !writes(u) && !writes(v)) return false;
        Set<Op> mine = objects(u), others = objects(v);
        if (mine == null || others == null) return true;
        for (Op o : mine) if (others.contains(o)) return true;
        return false;
    }

    private boolean writes(int u) {
        for (int m : units.get(u).members()) if (region[m].node.op().effects() == Effects.WRITES) return true;
        return false;
    }

    /** What makes the handles that a unit takes; null when that is not known. */
    private Set<Op> objects(int u) {
        Set<Op> all = new HashSet<>();
        for (int m : units.get(u).members()) {
            for (int k = 0; k < region[m].in.length; k++) {
                TensorType t = region[m].node.input(k).type();
                if (t.dtype() != DType.RESOURCE && !t.isRef()) continue;
                Node maker = region[m].node.input(k).node();
                if (maker.inputCount() > 0 || maker.op() instanceof CoreOp) return null;
                all.add(maker.op());
            }
        }
        return all.isEmpty() ? null : all;
    }

    @Override
    public boolean isUpdate(int u) {
        if (!isParallel(u) || !isMovable(u) || !writes(u) || objects(u) == null || condition(u) != 0) return false;
        long bytes = 0;
        for (int m : units.get(u).members()) {
            for (int k = 0; k < region[m].in.length; k++) {
                TensorType t = region[m].node.input(k).type();
                if (t.isRef()) return false; // its readers have no effects that tell when they read
                if (t.isAllocatable()) bytes += t.byteSize();
            }
        }
        return bytes >= LARGE_UPDATE;
    }

    @Override
    public boolean mayPass(int u, int v) {
        if (!isMovable(v) || condition(v) != 0 || conflict(u, v)) return false;
        return !after(u).contains(v)
                && !rowsAfter(u).contains(v)
                && !holders.computeIfAbsent(u, this::holders).contains(v);
    }

    /** The units that hold what was read from the objects that {@code u} writes to: while they do, writing copies. */
    private Set<Integer> holders(int u) {
        Set<Integer> all = new HashSet<>();
        Set<Op> written = objects(u);
        boolean[] holds = new boolean[facts.producer.length];
        for (int i = 0; i < region.length; i++) {
            boolean reads = false,
                    shares =
                            facts.record.types[i] == null || region[i].node.op().view() >= 0;
            if (region[i].node.op().effects() == Effects.READS)
                for (int k = 0; k < region[i].in.length; k++)
                    reads |= written.contains(region[i].node.input(k).node().op());
            for (int s : region[i].in) {
                if (!holds[s]) continue;
                reads |= shares;
                if (units.of(i) >= 0) all.add(units.of(i));
            }
            if (reads) for (int s : region[i].out) if (s >= 0) holds[s] = true;
        }
        return all;
    }

    @Override
    public long pieces(int u) {
        return pieces[u];
    }

    @Override
    public List<Integer> after(int u) {
        return after.get(u);
    }

    @Override
    public List<Integer> rowsAfter(int u) {
        return rowsAfter.get(u);
    }

    @Override
    public double work(int u) {
        double work = 0;
        for (int m : units.get(u).members()) {
            if (facts.isKnown(m)) work += region[m].node.op().work(facts.known(m), List.of(facts.record.types[m]));
        }
        return work;
    }

    @Override
    public long bytes(int u) {
        long bytes = 0;
        for (int m : units.get(u).members()) {
            TensorType[] types = facts.record.types[m];
            if (types != null) for (TensorType t : types) bytes += t.byteSize();
        }
        return bytes;
    }

    @Override
    public int condition(int u) {
        Units.Unit unit = units.get(u);
        return unit.conditional() ? region[unit.at()].condition : 0;
    }
}
