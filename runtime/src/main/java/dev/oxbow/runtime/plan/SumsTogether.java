package dev.oxbow.runtime.plan;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Makes one kernel of sums along the same axes that read the same values, as those for the scale and the shift of a layer do. */
final class SumsTogether {

    /*
     * The kernel runs where the last of the sums stands, so nobody may want another one of them earlier. Each has an accumulator for
     * every column that a thread folds, so there are few.
     */

    private static final int MOST = 3;

    private final RegionFacts facts;
    private final Instruction[] region;
    private final Device.Fusing most;

    SumsTogether(RegionFacts facts, Device.Fusing most) {
        this.facts = facts;
        this.region = facts.region;
        this.most = most;
    }

    /** Puts kernels of several sums in the places of theirs. */
    void join(List<Fusion> all) {
        for (int i = 0; i < all.size(); i++) {
            for (int k = i + 1; k < all.size() && isSum(all.get(i)); k++) {
                boolean inOrder = last(all.get(i)) < last(all.get(k));
                Fusion both = joined(all.get(inOrder ? i : k), all.get(inOrder ? k : i));
                if (both == null) continue;
                all.set(i, both);
                all.remove(k--);
            }
        }
    }

    private static boolean isSum(Fusion f) {
        if (!f.reduces() || f.groups() > 0) return false;
        return f.operation() == Reduction.Operation.SUM || f.operation() == Reduction.Operation.MEAN;
    }

    private static int last(Fusion f) {
        return f.members()[f.members().length - 1];
    }

    /** One kernel for a sum and a later one; null where they must stay two. */
    private Fusion joined(Fusion f, Fusion g) {
        boolean alike = isSum(g)
                && f.operation() == g.operation()
                && f.shape().equals(g.shape())
                && Arrays.equals(axes(f), axes(g))
                && f.outputs().size() + g.outputs().size() <= MOST;
        if (!alike || !shares(f, g) || !canWait(f, g)) return null;
        List<Integer> slots =
                new ArrayList<>(Arrays.stream(f.inputSlots()).boxed().toList());
        List<Expr> inputs = new ArrayList<>();
        for (int s : g.inputSlots()) {
            if (!slots.contains(s)) slots.add(s);
            inputs.add(Expr.input(slots.indexOf(s), dtype(g, s)));
        }
        if (slots.size() > most.inputs() || f.members().length + g.members().length > most.members()) return null;
        List<Expr> expressions = new ArrayList<>(f.expressions());
        for (Expr e : g.expressions()) expressions.add(e.substitute(inputs));
        if (Expr.nodes(expressions).size() > most.nodes()) return null;
        List<Port> outputs = new ArrayList<>(f.outputs());
        outputs.addAll(g.outputs());
        return new Fusion(
                IntStream.concat(Arrays.stream(f.members()), Arrays.stream(g.members()))
                        .sorted()
                        .toArray(),
                slots.stream().mapToInt(Integer::intValue).toArray(),
                f.shape(),
                outputs,
                expressions,
                f.operation(),
                f.axes(),
                0);
    }

    private static int[] axes(Fusion f) {
        int rank = f.shape().rank();
        return Arrays.stream(f.axes()).map(a -> a < 0 ? a + rank : a).sorted().toArray();
    }

    /** Whether both read a value of their whole shape. */
    private boolean shares(Fusion f, Fusion g) {
        for (int s : f.inputSlots()) {
            Shape shape = facts.shape(s);
            boolean whole = shape != null && shape.equals(f.shape());
            if (whole && Arrays.stream(g.inputSlots()).anyMatch(x -> x == s)) return true;
        }
        return false;
    }

    /** Whether what the first makes is early enough where the second stands. */
    private boolean canWait(Fusion f, Fusion g) {
        Instruction at = region[last(g)];
        for (int m : f.members())
            if (region[m].notify.length > 0
                    || region[m].condition != at.condition
                    || region[m].mayBeDead != at.mayBeDead) return false;
        for (int m : g.members()) if (region[m].external > 0) return false;
        for (Port p : f.outputs())
            for (int r : facts.realReaders(region[p.instruction()].out[p.output()])) if (r <= last(g)) return false;
        return true;
    }

    private DType dtype(Fusion f, int slot) {
        for (int m : f.members())
            for (int k = 0; k < region[m].in.length; k++)
                if (region[m].in[k] == slot)
                    return region[m].node.input(k).type().dtype();
        throw new AssertionError(slot);
    }
}
