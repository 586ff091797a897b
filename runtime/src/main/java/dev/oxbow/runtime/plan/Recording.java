package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What one run of a region did, for the planner: types, values that follow from shapes, shapes of everything read. */
public final class Recording {
    /** Values up to this size that follow from shapes are constants of a plan. */
    static final long MOST_BYTES = 1 << 16;

    final TensorType[][] types;
    final Tensor[][] constants;
    public final Shape[] outputs;

    /** Inputs that a kernel kept beyond its run; null when it kept none. */
    final boolean[][] kept;

    final Map<Integer, Shape> shapes = new HashMap<>();
    private final Set<Integer> known = new HashSet<>();

    public Recording(int instructions) {
        types = new TensorType[instructions][];
        constants = new Tensor[instructions][];
        outputs = new Shape[instructions];
        kept = new boolean[instructions][];
    }

    /** Called after an instruction ran and before its outputs leave their context; null context for control flow. */
    public void inputs(Instruction i, Tensor[] values) {
        for (int s : i.in) if (values[s] != null && values[s] != Marks.DEAD) shapes.putIfAbsent(s, values[s].shape());
    }

    /**
     * What a kernel did.
     *
     * @param kept inputs that it keeps beyond its run
     * @param types of its outputs; null when it supplied them itself
     * @param asked inputs whose value, not only shape, decided those
     * @param inputs their shapes
     * @param constants the outputs where input types alone decide them, else null
     */
    public record Ran(boolean[] kept, TensorType[] types, boolean[] asked, Shape[] inputs, List<Tensor> constants) {}

    /** The kernel of instruction {@code at} ran alive and stored its outputs. */
    public void ran(int at, Instruction i, Tensor[] values, Ran c) {
        for (int k = 0; k < i.in.length; k++) if (i.deref[k]) shapes.put(i.in[k], c.inputs[k]);
        boolean allKnown = i.in.length > 0 || i.node.op() instanceof Const;
        for (int s : i.in) allKnown &= known.contains(s);
        boolean pure = i.node.op().effects() == Effects.NONE && !i.node.op().waits();
        if (pure && (allKnown || c.constants != null) && isSmall(i, values)) {
            constants[at] = new Tensor[i.out.length];
            for (int p = 0; p < i.out.length; p++) {
                int s = i.out[p];
                if (s < 0) continue;
                known.add(s);
                constants[at][p] =
                        values[s].onHost(t -> t.reshaped(t.shape())); // a plan is shared and garbage collected
            }
            return;
        }
        for (boolean k : c.kept) if (k) kept[at] = c.kept.clone();
        if (i.node.op().view() >= 0) {
            boolean alone = i.out[0] >= 0 && !i.deref[i.node.op().view()];
            for (int k = 0; k < i.in.length; k++) alone &= k == i.node.op().view() || known.contains(i.in[k]);
            if (alone) types[at] = new TensorType[] {TensorType.of(values[i.out[0]])};
            return;
        }
        if (i.out.length == 0 && !i.node.op().waits()) types[at] = new TensorType[0];
        if (c.types == null) return;
        for (int k = 0; k < i.in.length; k++) if (c.asked[k] && !known.contains(i.in[k])) return;
        types[at] = c.types;
    }

    /** The kernel of instruction {@code at} keeps input {@code k} beyond its run. */
    public void keeps(int at, int k, int inputs) {
        if (kept[at] == null) kept[at] = new boolean[inputs];
        kept[at][k] = true;
    }

    private static boolean isSmall(Instruction i, Tensor[] values) {
        for (int s : i.out) {
            if (s < 0) continue;
            Tensor t = values[s];
            if (t == null || t.dtype() == DType.RESOURCE || t.dtype() == DType.VARIANT) return false;
            if (!(i.node.op() instanceof Const) && t.byteSize() > MOST_BYTES) return false;
        }
        return true;
    }

    public void drop() {
        for (Tensor[] list : constants) if (list != null) for (Tensor t : list) if (t != null) t.close();
    }
}
