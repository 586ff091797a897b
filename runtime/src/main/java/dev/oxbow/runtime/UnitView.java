package dev.oxbow.runtime;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.RowCut;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
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

    private final Planner planner;
    private final Instruction[] region;
    private final List<Planner.Unit> units;
    private final Map<Node, Integer> index = new HashMap<>();
    private final List<List<Integer>> after = new ArrayList<>();
    private final List<List<Integer>> rowsAfter = new ArrayList<>();
    private final long[] pieces;

    /** By update: the units that must have run before it, or it would copy. */
    private final Map<Integer, Set<Integer>> holders = new HashMap<>();

    UnitView(Planner planner) {
        this.planner = planner;
        this.region = planner.region();
        this.units = planner.units();
        for (int i = 0; i < region.length; i++) index.put(region[i].node, i);
        pieces = new long[units.size()];
        List<Set<Integer>> behind = new ArrayList<>(), checks = new ArrayList<>();
        for (int i = 0; i < region.length; i++) {
            behind.add(behind(i, behind));
            checks.add(checks(i, checks));
        }
        for (int u = 0; u < units.size(); u++) {
            Planner.Unit unit = units.get(u);
            boolean[] cut = planner.cut(unit);
            pieces[u] = cut == null ? 0 : planner.pieces(unit, cut);
            Set<Integer> whole = new HashSet<>(), rows = new HashSet<>();
            for (int m : unit.members()) {
                for (int s : region[m].in) {
                    Set<Integer> into = cut != null && planner.isCut(unit, cut, s) ? rows : whole;
                    int p = planner.producer(s);
                    if (p >= 0 && planner.unitOf(p) >= 0) into.add(planner.unitOf(p));
                    if (p >= 0) whole.addAll(checks.get(p));
                    int source = planner.producer(planner.root(s));
                    if (source >= 0 && planner.unitOf(source) >= 0) into.add(planner.unitOf(source));
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
        int u = planner.unitOf(i);
        if (u >= 0) return units.get(u).kind() == RegionPlan.Kind.STORE ? Set.of(u) : Set.of();
        Set<Integer> all = Set.of();
        for (int s : region[i].in) {
            int p = planner.producer(s);
            if (p >= 0) all = union(all, before.get(p));
        }
        return all;
    }

    /** The units that have run when an instruction has. */
    private Set<Integer> behind(int i, List<Set<Integer>> before) {
        if (planner.unitOf(i) >= 0) return Set.of(planner.unitOf(i));
        Set<Integer> all = Set.of();
        for (int s : region[i].in) {
            int p = planner.producer(s);
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
        return units.size();
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
                if (t.isAllocatable()) bytes += RegionPlan.bytes(t);
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
        boolean[] holds = new boolean[planner.slots()];
        for (int i = 0; i < region.length; i++) {
            boolean reads = false,
                    shares = planner.types(i) == null || region[i].node.op().view() >= 0;
            if (region[i].node.op().effects() == Effects.READS)
                for (int k = 0; k < region[i].in.length; k++)
                    reads |= written.contains(region[i].node.input(k).node().op());
            for (int s : region[i].in) {
                if (!holds[s]) continue;
                reads |= shares;
                if (planner.unitOf(i) >= 0) all.add(planner.unitOf(i));
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
            if (isKnown(planner, m)) work += region[m].node.op().work(known(planner, m), List.of(planner.types(m)));
        }
        return work;
    }

    static boolean isKnown(Planner planner, int i) {
        if (planner.types(i) == null) return false;
        for (int s : planner.region()[i].in)
            if (planner.shapeOf(s) == null || !planner.shapeOf(s).isFullyKnown()) return false;
        return true;
    }

    @Override
    public long bytes(int u) {
        long bytes = 0;
        for (int m : units.get(u).members()) {
            TensorType[] types = planner.types(m);
            if (types != null) for (TensorType t : types) bytes += RegionPlan.bytes(t);
        }
        return bytes;
    }

    @Override
    public int condition(int u) {
        Planner.Unit unit = units.get(u);
        return unit.conditional() ? region[unit.at()].condition : 0;
    }

    /** What a plan knows of an instruction's inputs. */
    static InferenceContext known(Planner planner, int i) {
        return new Known(planner, i);
    }

    /** How a node of a plan can be cut by rows; null when it cannot. */
    static RowCut cut(Planner planner, int i) {
        TensorType[] types = planner.types(i);
        if (types == null || types.length == 0 || !isKnown(planner, i)) return null;
        return planner.region()[i].node.op().rowCut(known(planner, i), List.of(types));
    }

    /** Whether a node may write over an input of its output's size that nobody reads any more. */
    static boolean worksInPlace(Planner planner, int i) {
        Op op = planner.region()[i].node.op();
        if (op instanceof Elementwise) return true;
        return isKnown(planner, i) && op.worksInPlace(known(planner, i), List.of(planner.types(i)));
    }

    /** Types and values that a plan knows. */
    private record Known(Planner planner, int i) implements InferenceContext {
        private Instruction instruction() {
            return planner.region()[i];
        }

        @Override
        public int inputCount() {
            return instruction().in.length;
        }

        @Override
        public TensorType input(int k) {
            Shape s = planner.shapeOf(instruction().in[k]);
            return new TensorType(instruction().node.input(k).type().dtype(), s == null ? Shape.UNKNOWN : s);
        }

        @Override
        public Tensor constant(int k) {
            return planner.constant(instruction().in[k]);
        }

        @Override
        public int outputCount() {
            return instruction().out.length;
        }

        @Override
        public DType outputDtype(int k) {
            return instruction().node.output(k).dtype();
        }

        @Override
        public FunctionLibrary functions() {
            return instruction().node.graph().functions();
        }
    }
}
