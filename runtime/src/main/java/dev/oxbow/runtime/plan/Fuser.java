package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Reducing;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/** Joins elementwise instructions of one shape that feed each other, as far as one kernel can carry them. */
final class Fuser {

    private final Instruction[] region;
    private final Recording record;
    private final int[] producer;
    private final List<List<Integer>> readers;
    private final boolean joins;
    private final IntPredicate fusible;
    private final Device.Fusing most;

    Fuser(
            Instruction[] region,
            Recording record,
            int[] producer,
            List<List<Integer>> readers,
            boolean joins,
            IntPredicate fusible,
            Device.Fusing most) {
        this.region = region;
        this.record = record;
        this.producer = producer;
        this.readers = readers;
        this.joins = joins;
        this.fusible = fusible;
        this.most = most;
    }

    /** Every fusible instruction, alone or with others. */
    List<Fusion> fuse() {
        int[] group = new int[region.length];
        Arrays.fill(group, -1);
        Map<Integer, List<Integer>> groups = new HashMap<>();
        for (int i = 0; i < region.length; i++) {
            if (!fusible.test(i)) continue;
            group[i] = i;
            groups.put(i, List.of(i));
            if (!joins) continue;
            for (int k = 0; k < operands(i); k++) {
                int p = producer[region[i].in[k]];
                if (p < 0
                        || group[p] < 0
                        || group[p] == group[i]
                        || !shape(p).equals(shape(i))
                        || region[p].condition != region[i].condition
                        || region[p].mayBeDead != region[i].mayBeDead) continue;
                List<Integer> members = groups.get(group[p]);
                if (group[i] != i) {
                    if (most.merges()) merge(group, groups, p, i);
                    continue;
                }
                if (!canJoin(members, i)) continue;
                List<Integer> grown = new ArrayList<>(members);
                grown.add(i);
                groups.remove(i);
                groups.put(group[p], grown);
                group[i] = group[p];
            }
        }
        List<Fusion> all = new ArrayList<>();
        for (int i = 0; i < region.length; i++) if (groups.get(i) != null) add(groups.get(i), all);
        return all;
    }

    /** Makes one group of that of an instruction and that of another of its producers, if one kernel can be both. */
    private void merge(int[] group, Map<Integer, List<Integer>> groups, int p, int i) {
        TreeSet<Integer> both = new TreeSet<>(groups.get(group[i]));
        both.addAll(groups.get(group[p]));
        List<Integer> members = new ArrayList<>(both), before = members.subList(0, members.size() - 1);
        if (members.getLast() != i || !canJoin(before, i) || fusion(members) == null) return;
        int kept = group[i];
        for (int m : groups.remove(group[p])) group[m] = kept;
        groups.put(kept, members);
    }

    private int slot(Port p) {
        return region[p.instruction()].out[p.output()];
    }

    private Shape shape(int i) {
        return record.types[i][0].shape();
    }

    /** The group runs where its last member stands, so nobody else may want a member's output before that. */
    private boolean canJoin(List<Integer> members, int i) {
        if (members.size() >= most.members()) return false;
        for (int m : members) {
            if (region[m].notify.length > 0) return false;
            for (int s : region[m].out) {
                if (s < 0) continue;
                for (int r : readers.get(s)) if (r != i && !members.contains(r) && r < i) return false;
            }
        }
        return true;
    }

    private void add(List<Integer> members, List<Fusion> all) {
        Fusion f = fusion(members);
        if (f != null) all.add(f);
        else for (int m : members) if (members.size() > 1) add(List.of(m), all);
    }

    /** One kernel for the members; null when it would be too large. */
    private Fusion fusion(List<Integer> members) {
        Map<Integer, Integer> inputs = new HashMap<>();
        List<Integer> slots = new ArrayList<>();
        Map<Integer, Expr> values = new HashMap<>();
        List<Expr> outputs = new ArrayList<>();
        List<Port> places = new ArrayList<>();
        Expr last = null;
        for (int m : members) {
            if (operands(m) > most.nodes()) return null;
            List<Expr> args = new ArrayList<>();
            for (int k = 0; k < operands(m); k++) {
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
            last = made.getFirst();
            for (int p = 0; p < made.size(); p++) {
                int s = region[m].out[p];
                if (s < 0) continue;
                values.put(s, made.get(p));
                boolean read = region[m].escapes[p];
                for (int r : readers.get(s)) read |= !members.contains(r);
                if (!read) continue;
                outputs.add(made.get(p));
                places.add(new Port(m, p));
            }
        }
        if (outputs.isEmpty()) { // a target that nobody reads is computed all the same
            outputs.add(last);
            places.add(new Port(members.getLast(), 0));
        }
        if (slots.size() > most.inputs() || Expr.nodes(outputs).size() > most.nodes()) return null;
        return new Fusion(
                members.stream().mapToInt(Integer::intValue).toArray(),
                slots.stream().mapToInt(Integer::intValue).toArray(),
                shape(members.getLast()),
                List.copyOf(places),
                outputs,
                null,
                null,
                0);
    }

    /** How many inputs of an elementwise instruction are operands of its expression. */
    private int operands(int i) {
        return ((Elementwise) region[i].node.op()).operands(region[i].in.length);
    }

    /** Joins reductions to the elementwise kernels whose only reader they are. */
    void reduce(List<Fusion> all, IntFunction<int[]> axes) {
        Map<Integer, Integer> madeBy = new HashMap<>();
        for (int f = 0; f < all.size(); f++) for (Port p : all.get(f).outputs()) madeBy.put(slot(p), f);
        for (int i = 0; i < region.length && joins; i++) {
            if (!(region[i].node.op() instanceof Reducing r)) continue;
            Integer f = madeBy.get(region[i].in[0]);
            if (f == null || !isSoleReader(i, all.get(f))) continue;
            int[] along = axes.apply(i);
            if (along == null || along.length == 0) continue;
            Fusion e = all.get(f);
            int[] members = Arrays.copyOf(e.members(), e.members().length + 1);
            members[members.length - 1] = i;
            all.set(
                    f,
                    new Fusion(
                            members,
                            e.inputSlots(),
                            e.shape(),
                            List.of(new Port(i, 0)),
                            e.expressions(),
                            r.operation(),
                            along,
                            r.groups()));
        }
    }

    /** Makes kernels of reductions that stand alone, for a device that has no other for them; their axes are known here. */
    void reduceAlone(List<Fusion> all, IntFunction<int[]> axes, IntPredicate planned) {
        Set<Integer> joined = new HashSet<>();
        for (Fusion f : all) for (int m : f.members()) joined.add(m);
        for (int i = 0; i < region.length; i++) {
            if (joined.contains(i) || !(region[i].node.op() instanceof Reducing r) || !planned.test(i)) continue;
            int[] along = axes.apply(i);
            int slot = region[i].in[0];
            Shape shape = record.shapes.get(slot);
            if (along == null || along.length == 0 || shape == null || shape.size() <= 0) continue;
            Expr x = Expr.input(0, region[i].node.input(0).type().dtype());
            all.add(new Fusion(
                    new int[] {i},
                    new int[] {slot},
                    shape,
                    List.of(new Port(i, 0)),
                    List.of(x),
                    r.operation(),
                    along,
                    r.groups()));
        }
    }

    private boolean isSoleReader(int i, Fusion f) {
        if (f.reduces() || f.outputs().size() != 1 || region[i].external > 0) return false;
        Port out = f.outputs().getFirst();
        int last = f.members()[f.members().length - 1];
        if (region[out.instruction()].escapes[out.output()]
                || region[last].condition != region[i].condition
                || region[last].mayBeDead != region[i].mayBeDead) return false;
        for (int m : f.members()) if (region[m].notify.length > 0) return false;
        return readers.get(slot(out)).size() == 1;
    }
}
