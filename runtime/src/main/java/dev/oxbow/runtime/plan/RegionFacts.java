package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Park;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the record of one run tells of a region's instructions and slots: what is sure, who reads what, what leaves. */
final class RegionFacts {

    /** What is known of an instruction. */
    enum Mode {
        /** Nothing: it runs as without a plan. */
        DYNAMIC,
        /** Its outputs. */
        CONSTANT,
        /** That its output is its input's memory in another shape. */
        VIEW,
        /** The types of its outputs. */
        STATIC
    }

    final Instruction[] region;
    final Recording record;
    final Mode[] modes;

    /** By slot: the instruction that fills it, -1 for one of elsewhere, and which of its outputs it is. */
    final int[] producer;

    final int[] port;

    /** By slot: the instructions that read it. */
    final List<List<Integer>> readers = new ArrayList<>();

    /** By slot: the instructions, views left out, that read its memory through it or a view of it. */
    final List<List<Integer>> memoryReaders = new ArrayList<>();

    /** By slot: the slot whose memory it shows, itself where it is no view's. */
    final int[] roots;

    /** By slot: whether its value leaves the region's memory: to other regions, to the caller, to whoever keeps it. */
    final boolean[] escapes;

    /** By instruction: the input whose memory its output shows, for views. */
    private final int[] views;

    /** Whether kernels are the host's, which say themselves what they may write over. */
    private final boolean onHost;

    RegionFacts(int slots, Instruction[] region, Recording record, boolean onHost) {
        this.region = region;
        this.record = record;
        this.onHost = onHost;
        producer = new int[slots];
        port = new int[slots];
        roots = new int[slots];
        escapes = new boolean[slots];
        modes = new Mode[region.length];
        views = new int[region.length];
        Arrays.fill(producer, -1);
        for (int s = 0; s < slots; s++) {
            roots[s] = s;
            readers.add(List.of());
            memoryReaders.add(new ArrayList<>(1));
        }
        for (int i = 0; i < region.length; i++) {
            if (isLocal(i)) {
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
        for (int i = 0; i < region.length; i++) modes[i] = mode(i);
        findSharing();
    }

    /** Whether an instruction's outputs are slots of its own frame and iteration. */
    boolean isLocal(int i) {
        return switch (region[i].kind) {
            case ENTER, EXIT, NEXT_ITERATION -> false;
            default -> true;
        };
    }

    private Mode mode(int i) {
        Instruction in = region[i];
        if (in.mayBeDead && in.condition == 0) return Mode.DYNAMIC; // lives in the first iteration only
        if (record.constants[i] != null) return Mode.CONSTANT;
        if (in.onHost) return Mode.DYNAMIC; // it is not in the memory that a plan lays out
        if (in.kind != Instruction.Kind.KERNEL || record.types[i] == null) return Mode.DYNAMIC;
        for (TensorType t : record.types[i]) if (!t.isAllocatable() || t.dtype().isObject()) return Mode.DYNAMIC;
        int view = shared(i);
        views[i] = view;
        if (view < 0) return Mode.STATIC;
        int source = producer[in.in[view]];
        if (source >= 0 && modes[source] != Mode.DYNAMIC && !in.deref[view]) return Mode.VIEW;
        return withoutView(i);
    }

    /** The input whose memory the output of an instruction may share; -1 for none. */
    private int shared(int i) {
        Op op = region[i].node.op();
        if (op.view() >= 0) return op.view();
        if (record.types[i].length != 1 || op.effects() != Effects.NONE || !isKnown(i)) return -1;
        return op.viewOf(known(i), List.of(record.types[i]));
    }

    /** What an instruction is that could be a view and cannot be here. */
    private Mode withoutView(int i) {
        return region[i].node.op().view() < 0 ? Mode.STATIC : Mode.DYNAMIC;
    }

    /** What the plan knows of an instruction's inputs. */
    InferenceContext known(int i) {
        return new KnownInputs(this, region[i]);
    }

    /** Whether the types of all inputs and outputs of an instruction are known. */
    boolean isKnown(int i) {
        if (record.types[i] == null) return false;
        for (int s : region[i].in) if (shape(s) == null || !shape(s).isFullyKnown()) return false;
        return true;
    }

    /** How an instruction can be cut by rows; null when it cannot. */
    Pieces rows(int i) {
        TensorType[] types = record.types[i];
        if (types == null
                || types.length == 0
                || !isKnown(i)
                || types[0].shape().rank() < 1) return null;
        Pieces cut = region[i].node.op().cut(known(i), List.of(types), 0);
        return cut == null || !cut.areRows() ? null : cut;
    }

    /** Whether an instruction may write over an input of its output's size that nobody reads any more. */
    boolean worksInPlace(int i) {
        Op op = region[i].node.op();
        if (op instanceof Elementwise) return true;
        return onHost && isKnown(i) && op.worksInPlace(known(i), List.of(record.types[i]));
    }

    /** Whether an instruction may be part of a fused kernel. */
    boolean isFusible(int i) {
        Instruction in = region[i];
        if (modes[i] != Mode.STATIC
                || !(in.node.op() instanceof Elementwise op)
                || op.effects() != Effects.NONE
                || !op.broadcasts()) return false;
        for (boolean d : in.deref) if (d) return false;
        Shape shape = record.types[i][0].shape();
        for (TensorType t : record.types[i]) if (!t.shape().equals(shape)) return false;
        int operands = op.operands(in.in.length);
        for (int k = 0; k < operands; k++) // Equal has an answer for shapes that do not broadcast, too
        if (!broadcasts(shape(in.in[k]), shape)) return false;
        return shape.size() > 0;
    }

    private static boolean broadcasts(Shape from, Shape to) {
        if (!from.isFullyKnown() || from.rank() > to.rank()) return false;
        for (int d = 1; d <= from.rank(); d++) if (from.dim(-d) != 1 && from.dim(-d) != to.dim(-d)) return false;
        return true;
    }

    /** The axes of a reduction that is planned, or null. */
    int[] axes(int i) {
        if (modes[i] != Mode.STATIC || region[i].deref[0]) return null;
        return ((Reducing) region[i].node.op()).axes(known(i));
    }

    /** Whether a constant followed from shapes that the plan does not decide, so that they must be checked. */
    boolean isGuarded(int i) {
        if (modes[i] != Mode.CONSTANT) return false;
        for (int k = 0; k < region[i].in.length; k++) if (isOpen(i, k)) return true;
        return false;
    }

    /** Whether the shape of an input may differ from run to run; those of arguments choose the plan. */
    boolean isOpen(int i, int k) {
        int p = producer[region[i].in[k]];
        if (p < 0 || region[i].deref[k]) return true;
        return modes[p] == Mode.DYNAMIC && region[p].kind != Instruction.Kind.ARG;
    }

    /** Whether somebody outside of the plan waits for a value that the plan has already. */
    boolean isWatched(int i) {
        Instruction in = region[i];
        if (in.notify.length > 0 || in.controlOut >= 0 || in.external > 0) return true;
        for (int p = 0; p < in.out.length; p++) {
            if (in.out[p] < 0) continue;
            if (in.escapes[p]) return true;
            for (int r : readers.get(in.out[p])) if (modes[r] == Mode.DYNAMIC || region[r].mayBeDead) return true;
        }
        return false;
    }

    /** Those who read a slot, or a view of it that nobody else wants. */
    List<Integer> realReaders(int slot) {
        List<Integer> all = new ArrayList<>();
        for (int r : readers.get(slot)) {
            boolean view = modes[r] == Mode.VIEW && !isWatched(r) && !region[r].mayBeDead;
            if (view) all.addAll(realReaders(region[r].out[0]));
            else all.add(r);
        }
        return all;
    }

    /** Whether an output may be the memory of this input. */
    boolean shares(int i, int input) {
        if (!isLocal(i)) return false;
        return switch (modes[i]) {
            case CONSTANT, STATIC -> false;
            case VIEW -> views[i] == input;
            case DYNAMIC -> !(region[i].node.op() instanceof Park);
        };
    }

    /** The shape that was seen in a slot, or null. */
    Shape shape(int slot) {
        return record.shapes.get(slot);
    }

    /** The type of a slot that a planned instruction fills. */
    TensorType type(int slot) {
        return record.types[producer[slot]][port[slot]];
    }

    /** The value of a slot where the plan knows it. */
    Tensor constant(int slot) {
        int p = producer[slot];
        return p >= 0 && modes[p] == Mode.CONSTANT ? record.constants[p][port[slot]] : null;
    }

    /** Finds what leaves the region and whose memory slots show; a view of what leaves is made when it is wanted. */
    private void findSharing() {
        findEscapes();
        for (int i = 0; i < region.length; i++) {
            if (modes[i] != Mode.VIEW) continue;
            int shown = region[i].in[views[i]];
            if (modes[producer[shown]] == Mode.DYNAMIC || escapes[roots[shown]]) modes[i] = withoutView(i);
            else roots[region[i].out[0]] = roots[shown];
        }
        for (int i = 0; i < region.length; i++) {
            if (modes[i] == Mode.VIEW) continue;
            for (int s : region[i].in) memoryReaders.get(roots[s]).add(i);
        }
    }

    private void findEscapes() {
        for (int i = 0; i < region.length; i++) {
            if (!isLocal(i)) continue;
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
}
