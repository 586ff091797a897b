package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * How a region runs for the input shapes of one run that was watched: its kernels in order, where their operands lie in
 * the region's one block of memory, and what is known without computing. Immutable.
 */
public final class RegionPlan {

    /*
     * A plan is made from what a run did, not guessed: an instruction is planned when its output types followed from
     * input shapes alone, or from values that themselves follow from shapes (the Shape, StridedSlice, Pack chains of
     * gradients), which become constants of the plan. Planned values live at fixed places, so kernels are bound to
     * their operands once and a call is little more than the kernel; slots are filled only for readers that are not
     * bound. Inputs that the plan does not produce are checked against the shapes that were seen; at the first that
     * differs the run goes on without the plan, and later runs record another.
     */

    /** What a call does. */
    public enum Kind {
        /** What the executor does without a plan. */
        GENERAL,
        /** A kernel bound to its operands. */
        KERNEL,
        /** Nothing but telling others of values that are there already. */
        STORE
    }

    /**
     * A value with a place of its own in the block, or a constant. Of one that only the calls of its chain read, each
     * thread has one block of rows at a time, {@code stride} bytes after that of the thread before; else that is 0. A
     * constant that lives {@code onHost} stays there.
     */
    public record Fixed(TensorType type, long offset, Tensor constant, long stride, boolean onHost) {
        Fixed(TensorType type, long offset, Tensor constant, long stride) {
            this(type, offset, constant, stride, false);
        }
    }

    /**
     * Where a call's operand comes from: a fixed value, or a slot whose shape is checked unless {@code expected} is null.
     * The call takes it in the shape {@code as}, unless that is null.
     */
    public record Source(int fixed, int slot, boolean dereferences, Shape expected, Shape as) {}

    /** Where a result goes: a fixed value, or new memory of {@code type}; then into {@code slot}, unless that is -1. */
    public record Result(int fixed, TensorType type, int slot) {}

    /**
     * One call. {@code members} are the instructions it stands for, in order; {@code cut} says which inputs are cut by rows
     * in a chain; {@code condition} with which others it is dead or alive, 0 for always alive: its {@code leader} finds out.
     */
    public record Call(
            Kind kind,
            int[] members,
            Kernel kernel,
            Source[] inputs,
            boolean[] cut,
            Result[] outputs,
            int condition,
            boolean leader,
            int[] release) {

        /** The instruction at whose place it runs. */
        public int at() {
            return members[members.length - 1];
        }
    }

    public final Instruction[] instructions;
    public final List<Fixed> values;
    public final List<Call> calls;

    /** Calls that run together, by number, in order. */
    public final List<Sections.Section> sections;

    /** By instruction, the fixed value of each output, or -1; null for instructions without any. */
    public final int[][] fixedOutputs;

    public final int conditions;
    final Shape[] arguments;
    public final long blockSize;

    /** What the plan did, for explaining. */
    final List<Fusion> fusions;

    RegionPlan(
            Instruction[] instructions,
            List<Fixed> values,
            List<Call> calls,
            List<Sections.Section> sections,
            int[][] fixedOutputs,
            int conditions,
            Shape[] arguments,
            long blockSize,
            List<Fusion> fusions) {
        this.instructions = instructions;
        this.values = values;
        this.calls = calls;
        this.sections = sections;
        this.fixedOutputs = fixedOutputs;
        this.conditions = conditions;
        this.arguments = arguments;
        this.blockSize = blockSize;
        this.fusions = fusions;
    }

    /** Whether a run with these arguments may try this plan. */
    public boolean fits(Tensor[] given) {
        for (int i = 0; i < instructions.length; i++) {
            if (arguments[i] == null) continue;
            int index = ((Arg) instructions[i].node.op()).index();
            if (!arguments[i].equals(given[index].shape())) return false;
        }
        return true;
    }

    /** Bytes of values that get memory of their own, not a place in the block: fetches, what other regions read. */
    long bytesOutside() {
        long sum = 0;
        for (Call c : calls)
            for (Result r : c.outputs())
                if (r.fixed() < 0 && r.type() != null) sum += r.type().byteSize();
        return sum;
    }

    /** Whether the memory, less one part of {@code margin}, has room for the plan; always without a budget. */
    boolean fits(MemoryPool memory, int margin) {
        if (memory.budgetInBytes() == Long.MAX_VALUE || fitsNow(memory, margin)) return true;
        return memory.reclaim() && fitsNow(memory, margin);
    }

    private boolean fitsNow(MemoryPool memory, int margin) {
        long left = memory.budgetInBytes() - memory.bytesInUse();
        return blockSize + bytesOutside() <= left - left / margin;
    }

    /** Gives up the constants; who runs by this plan holds them too. */
    void close() {
        for (Fixed f : values) if (f.constant() != null) f.constant().close();
    }
}
