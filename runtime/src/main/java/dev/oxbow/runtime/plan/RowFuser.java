package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.RowWise;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.runtime.Formula;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Joins instructions that work on the rows of one matrix: elementwise ones, folds of rows, and what is made of those. */
final class RowFuser {

    /*
     * A group belongs to a shape, its rows are along the last dimension. Members are elementwise instructions of that shape or of
     * one element for each row, reductions of the last dimension, and ops over rows. A group runs where its last member stands.
     * Where somebody else wants something of it earlier, as the mean of losses whose gradient comes later, it runs before that
     * one, if all that it takes is surely there. Groups without a fold whose result a member takes are left to the Fuser.
     */

    private static final int MOST_MEMBERS = 48;
    private static final int MOST_INPUTS = 24;
    private static final int MOST_NODES = 600;

    /** Fewer rows that are longer than this do not keep a card busy. */
    private static final long LONG_ROW = 2048;

    private static final long FEW_ROWS = 128;

    private final RegionFacts facts;
    private final Instruction[] region;
    private final boolean host;
    private final Map<Integer, Group> groups = new HashMap<>();

    private record Group(Shape shape, TreeSet<Integer> members) {}

    /** On the host, rows whose columns are named are left to their ops, which chains of blocks can hold. */
    RowFuser(RegionFacts facts, boolean host) {
        this.facts = facts;
        this.host = host;
        this.region = facts.region;
    }

    /** Kernels over rows; what is in none of them is for others. */
    List<Fusion> fuse() {
        for (int i = 0; i < region.length; i++) {
            Shape shape = matrix(i);
            if (shape == null || !isWorthwhile(shape)) continue;
            Group g = new Group(shape, new TreeSet<>(List.of(i)));
            boolean alone = true;
            for (int s : region[i].in) {
                int p = facts.producer[shown(s)];
                Group other = p < 0 ? null : groups.get(p);
                if (other == null || g.members.contains(p) || !other.shape.equals(shape)) continue;
                TreeSet<Integer> both = new TreeSet<>(g.members);
                both.addAll(other.members);
                if (!canBeOne(both, i)) continue;
                g.members.addAll(other.members);
                alone = false;
            }
            if (alone && isPerRow(i) || !takesInputs(i, g)) continue;
            for (int m : g.members) groups.put(m, g);
        }
        List<Fusion> all = new ArrayList<>();
        for (Group g : new HashSet<>(groups.values())) {
            Fusion f = joins(g) ? fusion(g) : null;
            if (f != null) all.add(f);
        }
        all.sort((a, b) -> a.members()[0] - b.members()[0]);
        return all;
    }

    private static boolean isWorthwhile(Shape s) {
        return s.dim(-1) <= LONG_ROW || s.size() / s.dim(-1) >= FEW_ROWS;
    }

    /** The matrix whose rows an instruction works on; null for none. */
    private Shape matrix(int i) {
        if (facts.isFusible(i)) {
            Shape s = facts.record.types[i][0].shape();
            if (s.rank() < 2) return null;
            return s.dim(-1) > 1 ? s : matrixOfInputs(i, s);
        }
        Shape s = region[i].in.length == 0 || !isPlanned(i) ? null : facts.shape(region[i].in[0]);
        if (s == null || s.rank() < 2 || s.dim(-1) < 2 || s.size() == 0) return null;
        if (region[i].node.op() instanceof RowWise w) return host && w.columnInput() >= 0 ? null : s;
        if (!(region[i].node.op() instanceof Reducing r) || r.groups() != 0 || !isFold(r.operation())) return null;
        int[] axes = facts.axes(i);
        boolean last = axes != null && axes.length == 1 && (axes[0] == -1 || axes[0] == s.rank() - 1);
        DType t = region[i].node.input(0).type().dtype();
        return last && t.isFloating() ? s : null;
    }

    private boolean isPlanned(int i) {
        if (facts.modes[i] != RegionFacts.Mode.STATIC || !facts.isKnown(i)) return false;
        for (boolean d : region[i].deref) if (d) return false;
        return true;
    }

    private static boolean isFold(Reduction.Operation o) {
        return switch (o) {
            case SUM, MEAN, MAX, MIN -> true;
            default -> false;
        };
    }

    /** The matrix of an instruction with one element for each row: that of what it takes. */
    private Shape matrixOfInputs(int i, Shape perRow) {
        for (int s : region[i].in) {
            int p = facts.producer[shown(s)];
            Group g = p < 0 ? null : groups.get(p);
            if (g != null && g.shape.withDim(g.shape.rank() - 1, 1).equals(perRow)) return g.shape;
        }
        return null;
    }

    /** The slot whose value another one shows in a shape of its own: itself where it is no view. */
    private int shown(int slot) {
        int p = facts.producer[slot];
        return p >= 0 && facts.modes[p] == RegionFacts.Mode.VIEW ? facts.roots[slot] : slot;
    }

    private boolean isPerRow(int i) {
        return facts.isFusible(i) && facts.record.types[i][0].shape().dim(-1) == 1;
    }

    /** Whether members, of which {@code i} is the last, may run together. */
    private boolean canBeOne(TreeSet<Integer> members, int i) {
        if (members.size() > MOST_MEMBERS) return false;
        for (int m : members)
            if (m != i && region[m].notify.length > 0
                    || region[m].condition != region[i].condition
                    || region[m].mayBeDead != region[i].mayBeDead) return false;
        int reader = firstReader(members);
        if (reader > i) return true;
        for (int m : members) {
            if (region[m].external > 0 || !region[m].node.controls().isEmpty()) return false;
            for (int s : region[m].in) {
                int p = facts.producer[facts.roots[s]];
                if (p >= 0 && !members.contains(p) && !isThereBefore(p, reader)) return false;
            }
        }
        return true;
    }

    /** Whether what an instruction makes is there before another runs: no kernel of several moves it behind that. */
    private boolean isThereBefore(int p, int reader) {
        if (facts.modes[p] == RegionFacts.Mode.CONSTANT) return true;
        return p < reader && matrix(p) == null && !facts.isFusible(p) && !(region[p].node.op() instanceof Reducing);
    }

    /** The first of those outside that read what members make. */
    private int firstReader(Set<Integer> members) {
        int first = Integer.MAX_VALUE;
        for (int m : members)
            for (int s : region[m].out)
                if (s >= 0) for (int r : facts.realReaders(s)) if (!members.contains(r)) first = Math.min(first, r);
        return first;
    }

    private int operands(int i) {
        return region[i].node.op() instanceof Elementwise e
                ? e.operands(region[i].in.length)
                : region[i].node.op() instanceof Reducing ? 1 : region[i].in.length;
    }

    /** Whether all that an instruction takes is of the group, a matrix of its shape, a row for all or one value for each row. */
    private boolean takesInputs(int i, Group g) {
        for (int k = 0; k < operands(i); k++) {
            int s = region[i].in[k], from = shown(s), p = facts.producer[from];
            boolean own = p >= 0 && g.members.contains(p);
            Shape shape = facts.shape(s);
            if (own && !shape.equals(facts.shape(from)) && !showsRows(shape, facts.shape(from), g.shape)) return false;
            boolean perRow =
                    isPerRow(i) && !(shape.rank() == g.shape.rank() && shape.dim(-1) == 1) && shape.size() != 1;
            if (perRow || !own && kind(shape, g.shape, i, k) == null) return false;
        }
        return true;
    }

    /** Whether a view has the values of rows, as what it shows does, where an instruction finds one for each row. */
    private static boolean showsRows(Shape view, Shape shown, Shape matrix) {
        Shape kept = matrix.withDim(matrix.rank() - 1, 1), dropped = matrix.slice(0, matrix.rank() - 1);
        return view.equals(kept) && (shown.equals(kept) || shown.equals(dropped));
    }

    private enum Kind {
        MATRIX,
        ROW
    }

    /**
     * How input {@code k} of an instruction lies; null where it is neither rows nor values of rows, which may lack the last dimension
     * for ops over rows. The names of columns of a square matrix look like a row for all.
     */
    private Kind kind(Shape s, Shape matrix, int i, int k) {
        long columns = matrix.dim(-1);
        boolean flat = region[i].node.op() instanceof RowWise;
        if (region[i].node.op() instanceof RowWise w && w.columnInput() == k)
            return s.equals(matrix.slice(0, matrix.rank() - 1)) ? Kind.ROW : null;
        if (s.equals(matrix) || s.size() == columns && s.rank() > 0 && s.dim(-1) == columns) return Kind.MATRIX;
        if (s.size() == 1) return Kind.ROW;
        boolean perRow = s.rank() == matrix.rank() && s.equals(matrix.withDim(matrix.rank() - 1, 1));
        return perRow || flat && s.equals(matrix.slice(0, matrix.rank() - 1)) ? Kind.ROW : null;
    }

    /** Whether a member takes what another folds. */
    private boolean joins(Group g) {
        for (int m : g.members) {
            for (int s : region[m].in) {
                int p = facts.producer[shown(s)];
                if (p < 0 || !g.members.contains(p)) continue;
                boolean folds = !(region[p].node.op() instanceof Elementwise);
                if (folds || region[m].node.op() instanceof RowWise) return true;
            }
        }
        return false;
    }

    private Fusion fusion(Group g) {
        RowFormula f = new RowFormula();
        Map<Integer, Expr> values = new HashMap<>();
        Map<Integer, Kind> kinds = new HashMap<>();
        List<Integer> slots = new ArrayList<>();
        int checked = -1;
        RowWise checking = null;
        String node = null;
        Set<Integer> made = new HashSet<>();
        for (int m : g.members) for (int s : region[m].out) made.add(s);
        for (int m : g.members) {
            List<Expr> args = new ArrayList<>();
            for (int k = 0; k < operands(m); k++) {
                int s = made.contains(shown(region[m].in[k])) ? shown(region[m].in[k]) : region[m].in[k];
                if (!made.contains(s)) {
                    Kind kind = kind(facts.shape(s), g.shape, m, k), other = kinds.putIfAbsent(s, kind);
                    if (other != null && other != kind)
                        return null; // a row for all to one, a value for each row to another
                }
                if (!values.containsKey(s)) {
                    if (made.contains(s)) return null;
                    DType t = region[m].node.input(k).type().dtype();
                    values.put(s, kinds.get(s) == Kind.MATRIX ? f.matrix(t) : f.perRow(t));
                    slots.add(s);
                }
                args.add(values.get(s));
            }
            List<Expr> results = results(f, m, args, g.shape.dim(-1));
            if (results == null) return null;
            if (region[m].node.op() instanceof RowWise w && w.columnInput() >= 0) {
                if (checked >= 0) return null;
                checked = slots.indexOf(region[m].in[w.columnInput()]);
                checking = w;
                node = region[m].node.name();
            }
            for (int p = 0; p < results.size(); p++)
                if (region[m].out[p] >= 0) values.put(region[m].out[p], results.get(p));
        }
        List<Port> outputs = store(f, g, values);
        if (outputs.isEmpty()
                || slots.size() > MOST_INPUTS
                || Expr.nodes(values.values()).size() > MOST_NODES) return null;
        return new Fusion(
                g.members.stream().mapToInt(Integer::intValue).toArray(),
                slots.stream().mapToInt(Integer::intValue).toArray(),
                g.shape,
                outputs,
                List.of(),
                null,
                null,
                0,
                new Formula.Rows(f, checked, checking, node),
                firstReader(g.members) < g.members.last() ? firstReader(g.members) : -1);
    }

    private List<Expr> results(RowFormula f, int m, List<Expr> args, long columns) {
        return switch (region[m].node.op()) {
            case RowWise w -> {
                List<TensorType> types = new ArrayList<>();
                for (int k = 0; k < region[m].in.length; k++)
                    types.add(new TensorType(region[m].node.input(k).type().dtype(), facts.shape(region[m].in[k])));
                yield w.rows(types) == null ? null : w.join(f, args);
            }
            case Reducing r
            when args.get(0).dtype() == DType.F32 && r.operation() == Reduction.Operation.SUM ->
                List.of(f.fold(Fold.SUM, args.get(0)));
            case Reducing r
            when args.get(0).dtype() == DType.F32 && r.operation() == Reduction.Operation.MEAN ->
                List.of(f.mean(args.get(0), columns));
            case Reducing r -> {
                Reduction.Parts p = Reduction.parts(
                        r.operation(), List.of(Expr.input(0, args.get(0).dtype())));
                Expr folded = f.wideFold(p.fold(), p.values().get(0).substitute(args));
                List<Expr> of =
                        List.of(folded, Expr.constant(DType.F64, (double) columns), Expr.constant(DType.I64, columns));
                yield List.of(p.results().get(0).substitute(of));
            }
            case Elementwise e -> e.expressions(args);
            default -> throw new AssertionError(region[m]);
        };
    }

    /** Stores what others read; gives where that belongs. */
    private List<Port> store(RowFormula f, Group g, Map<Integer, Expr> values) {
        List<Port> outputs = new ArrayList<>();
        for (int m : g.members) {
            for (int p = 0; p < region[m].out.length; p++) {
                int s = region[m].out[p];
                if (s < 0) continue;
                boolean read = region[m].escapes[p];
                for (int r : facts.realReaders(s)) read |= !g.members.contains(r);
                if (!read) continue;
                if (facts.record.types[m][p].shape().equals(g.shape)) f.store(values.get(s));
                else f.storePerRow(values.get(s));
                outputs.add(new Port(m, p));
            }
        }
        return outputs;
    }
}
