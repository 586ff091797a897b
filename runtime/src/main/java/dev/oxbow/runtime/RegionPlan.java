package dev.oxbow.runtime;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * How a region runs for the input shapes of one run that was watched: which outputs are constants, which have a place
 * in the region's one block of memory, and which elementwise instructions run as one kernel. Immutable.
 */
final class RegionPlan {

    /*
     * A plan is made from what a run did, not guessed: an instruction is planned when its output types followed from
     * input shapes alone, or from values that themselves follow from shapes (the Shape, StridedSlice, Pack chains of
     * gradients), which become constants of the plan. Inputs that the plan does not produce are checked against the
     * shapes that were seen; at the first that differs the run goes on without the plan, and later runs record another.
     */

    enum Mode {
        /** As without a plan. */
        DYNAMIC,
        /** The outputs are known. */
        CONSTANT,
        /** The output types are known, and the memory where it does not leave the region. */
        STATIC,
        /** Part of a fused kernel that runs later. */
        FUSED_PART,
        /** The last part of a fused kernel, which runs here. */
        FUSED
    }

    /** Inputs to check: positions, and the shapes that the plan holds for. */
    record Guard(int[] inputs, Shape[] shapes) {
        static final Guard NONE = new Guard(new int[0], new Shape[0]);
    }

    final Instruction[] instructions;
    final Mode[] modes;
    final Guard[] guards;
    final TensorType[][] types;
    final long[][] offsets;
    final Tensor[][] constants;
    final Fusion[] fusions;
    final Shape[] arguments;

    /** Slots to release after each instruction: a fused kernel reads later than its parts stand. */
    final int[][] release;

    final long blockSize;

    RegionPlan(
            Instruction[] instructions,
            Mode[] modes,
            Guard[] guards,
            TensorType[][] types,
            long[][] offsets,
            Tensor[][] constants,
            Fusion[] fusions,
            Shape[] arguments,
            int[][] release,
            long blockSize) {
        this.instructions = instructions;
        this.modes = modes;
        this.guards = guards;
        this.types = types;
        this.offsets = offsets;
        this.constants = constants;
        this.fusions = fusions;
        this.arguments = arguments;
        this.release = release;
        this.blockSize = blockSize;
    }

    /** Whether a run with these arguments may try this plan. */
    boolean fits(Tensor[] given) {
        for (int i = 0; i < instructions.length; i++) {
            if (arguments[i] == null) continue;
            int index = ((dev.oxbow.graph.core.Arg) instructions[i].node.op()).index();
            if (!arguments[i].equals(given[index].shape())) return false;
        }
        return true;
    }

    /** Where outputs lie: computed in order, each place free again after the last reader of what lies there. */
    static final class Layout {
        private record Hole(long offset, long size) {}

        private final List<Hole> holes = new ArrayList<>();
        private long end;

        long take(long size) {
            long rounded = Math.max(64, (size + 63) / 64 * 64);
            int best = -1;
            for (int i = 0; i < holes.size(); i++) {
                long s = holes.get(i).size;
                if (s >= rounded && (best < 0 || s < holes.get(best).size)) best = i;
            }
            if (best >= 0) {
                Hole h = holes.remove(best);
                if (h.size > rounded) free(h.offset + rounded, h.size - rounded);
                return h.offset;
            }
            // grow: a hole at the end of the block is extended
            for (int i = 0; i < holes.size(); i++) {
                Hole h = holes.get(i);
                if (h.offset + h.size == end) {
                    holes.remove(i);
                    end = h.offset + rounded;
                    return h.offset;
                }
            }
            long at = end;
            end += rounded;
            return at;
        }

        void give(long offset, long size) {
            free(offset, Math.max(64, (size + 63) / 64 * 64));
        }

        private void free(long offset, long size) {
            long from = offset, to = offset + size;
            for (int i = holes.size() - 1; i >= 0; i--) {
                Hole h = holes.get(i);
                if (h.offset + h.size == from) {
                    from = h.offset;
                    holes.remove(i);
                } else if (h.offset == to) {
                    to = h.offset + h.size;
                    holes.remove(i);
                }
            }
            holes.add(new Hole(from, to - from));
        }

        long size() {
            return end;
        }
    }

    static boolean mayKeepInputs(Instruction i) {
        if (i.node.op().effects() == Effects.WRITES) return true;
        for (TensorType t : i.node.outputs())
            if (t.dtype() == DType.VARIANT || t.dtype() == DType.RESOURCE) return true;
        return false;
    }

    static long bytes(TensorType t) {
        return MemoryPool.byteSize(t.dtype(), t.shape());
    }
}
