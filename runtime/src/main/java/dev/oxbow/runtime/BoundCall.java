package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Kernel;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** One call of a plan with its operands in place: only what changes from run to run is fetched before the kernel. */
final class BoundCall {

    /** How a run of it ended. */
    enum Outcome {
        DONE,
        /** The kernel completes later. */
        DEFERRED,
        /** Nothing was done: an input has not the shape that the plan is for. */
        DOES_NOT_FIT
    }

    /** With more blocks for each thread, one that has none left waits too shortly to help in a kernel of another. */
    private static final int MANY = 4;

    final RegionPlan.Kind kind;
    final int[] members;
    final int at;
    final Instruction instruction;
    final int condition;
    final boolean leader;
    final int[] release;
    final Kernel kernel;
    final InstructionContext context;

    /** Members that read values of other regions. */
    final int[] awaited;

    /** Whether running the kernel is all there is to do. */
    final boolean plain;

    /** The contexts of the blocks of a chain; null outside of chains. */
    private final InstructionContext[] blocks;

    private final boolean[] cut;
    private final RegionPlan.Source[] inputs;
    private final RegionPlan.Result[] outputs;
    private final Tensor[] fixed;

    /** Positions of inputs that come from slots. */
    private final int[] fetched;

    /** Positions of outputs that need new memory. */
    private final int[] fresh;

    /** Outputs that lie where their reader wants them, by position; else null. */
    private final Tensor[] placed;

    /** Positions of outputs that go into slots. */
    private final int[] stored;

    BoundCall(
            RegionPlan.Call call,
            Iteration iteration,
            RegionPlan plan,
            Tensor[] fixed,
            int blocks,
            BiConsumer<BoundCall, Throwable> whenCompleted) {
        this.kind = call.kind();
        this.members = call.members();
        this.at = call.at();
        this.instruction = plan.instructions[at];
        this.condition = call.condition();
        this.leader = call.leader();
        this.release = call.release();
        this.kernel = call.kernel();
        this.inputs = call.inputs();
        this.outputs = call.outputs();
        this.fixed = fixed;
        fetched = positions(inputs.length, i -> inputs[i].fixed() < 0);
        placed = new Tensor[outputs.length];
        for (int i = 0; i < outputs.length; i++) placed[i] = placed(outputs[i], iteration);
        fresh = positions(outputs.length, i -> outputs[i].fixed() < 0 && placed[i] == null);
        stored = positions(outputs.length, i -> outputs[i].slot() >= 0);
        Tensor[] in = new Tensor[inputs.length], out = new Tensor[outputs.length];
        for (int i = 0; i < in.length; i++) if (inputs[i].fixed() >= 0) in[i] = fixed[inputs[i].fixed()];
        for (int i = 0; i < out.length; i++) out[i] = outputs[i].fixed() >= 0 ? fixed[outputs[i].fixed()] : placed[i];
        context = kind == RegionPlan.Kind.KERNEL
                ? new InstructionContext(instruction, iteration, in, out, error -> whenCompleted.accept(this, error))
                : null;
        cut = call.cut();
        this.blocks = blocks == 0 ? null : new InstructionContext[blocks];
        for (int b = 0; b < blocks; b++) {
            this.blocks[b] = new InstructionContext(
                    instruction, iteration, new Tensor[in.length], new Tensor[out.length], error -> {});
            if (blocks > MANY * iteration.program.device.parallel().threads()) this.blocks[b].runAlone();
            for (int i = 0; i < in.length; i++) if (in[i] != null) this.blocks[b].inputs[i] = block(b, i, in[i]);
            for (int i = 0; i < out.length; i++) if (out[i] != null) this.blocks[b].outputs[i] = part(b, out[i]);
        }
        awaited = IntStream.of(members)
                .filter(m -> plan.instructions[m].external > 0)
                .toArray();
        boolean quiet = release.length == 0 && awaited.length == 0;
        for (int m : members) {
            Instruction i = plan.instructions[m];
            quiet &= i.notify.length == 0 && i.controlOut < 0;
        }
        plain = quiet
                && kind == RegionPlan.Kind.KERNEL
                && condition == 0
                && fetched.length == 0
                && fresh.length == 0
                && stored.length == 0;
    }

    /** A result that goes to an op which says where its inputs lie; else null. */
    private static Tensor placed(RegionPlan.Result r, Iteration iteration) {
        if (r.fixed() >= 0 || r.slot() < 0 || r.type() == null) return null;
        long bytes = RegionPlan.bytes(r.type()), address = iteration.place(r.slot(), bytes);
        return address == 0 ? null : new Tensor(r.type().dtype(), r.type().shape(), Buffer.lent(address, bytes));
    }

    private static int[] positions(int n, IntPredicate p) {
        return IntStream.range(0, n).filter(p).toArray();
    }

    private Tensor block(int b, int input, Tensor whole) {
        return cut[input] ? part(b, whole) : whole;
    }

    /** Block {@code b} of a tensor's rows, as a view that must not outlive it. */
    private Tensor part(int b, Tensor whole) {
        long rows = whole.shape().dim(0) / blocks.length, bytes = whole.byteSize() / blocks.length;
        return new Tensor(
                whole.dtype(), whole.shape().withDim(0, rows), Buffer.lent(whole.address() + b * bytes, bytes));
    }

    /** Whether the shapes that a constant followed from are what they were. */
    private boolean holds(Tensor[] values) {
        for (RegionPlan.Source s : inputs) {
            Tensor t = values[s.slot()];
            if (t == null || t == Iteration.DEAD) return false;
            if (s.dereferences()) t = InstructionContext.dereference(t);
            boolean same = t.shape().equals(s.expected());
            if (s.dereferences()) t.release();
            if (!same) return false;
        }
        return true;
    }

    /** Brings the operands into place; false, with nothing done, when an input has not the shape that the plan is for. */
    boolean prepare(Tensor[] values) {
        if (kind != RegionPlan.Kind.KERNEL) return true;
        if (!fetch(values)) {
            context.releaseInputs();
            return false;
        }
        for (int p : fresh) {
            RegionPlan.Result r = outputs[p];
            context.outputs[p] =
                    context.memory().tensor(r.type().dtype(), r.type().shape(), instruction);
        }
        if (blocks == null) return true;
        for (int b = 0; b < blocks.length; b++) {
            for (int p : fetched) blocks[b].inputs[p] = block(b, p, context.inputs[p]);
            for (int p : fresh) blocks[b].outputs[p] = part(b, context.outputs[p]);
        }
        return true;
    }

    /** Runs the kernel, or block {@code b} of it, beside others: an error names the node here. */
    void runNamed(int b) {
        InstructionContext c = b < 0 ? context : blocks[b];
        try {
            kernel.run(c);
            require(!c.isDeferred(), INTERNAL, "the kernel completes later, though its op does not wait");
        } catch (Throwable e) {
            throw Failures.at(instruction.node, e);
        }
    }

    /** Runs the kernel and stores what it made, unless it completes later. */
    Outcome run(Tensor[] values) {
        if (kind == RegionPlan.Kind.KERNEL) {
            if (!prepare(values)) return Outcome.DOES_NOT_FIT;
            try {
                kernel.run(context);
                if (context.isDeferred() && !context.hasCompleted()) return Outcome.DEFERRED;
            } catch (Throwable e) {
                drop();
                throw e;
            }
        }
        if (kind == RegionPlan.Kind.STORE && !holds(values)) return Outcome.DOES_NOT_FIT;
        store(values);
        return Outcome.DONE;
    }

    /** Gives up what a failed kernel holds. */
    void drop() {
        for (int p : fresh) context.dropOutput(p);
        context.releaseInputs();
    }

    /** Passes the outputs on after the kernel has completed. */
    void store(Tensor[] values) {
        for (int p : stored) {
            int f = outputs[p].fixed();
            values[outputs[p].slot()] = f >= 0 ? fixed[f].retain() : placed[p] != null ? placed[p] : context.outputs[p];
        }
        for (int p : fresh) {
            if (outputs[p].slot() < 0) context.outputs[p].release();
            context.outputs[p] = null;
        }
        if (context != null) context.releaseInputs();
    }

    private boolean fetch(Tensor[] values) {
        for (int p : fetched) {
            RegionPlan.Source s = inputs[p];
            Tensor t = values[s.slot()];
            if (t == null || t == Iteration.DEAD) return false;
            if (s.dereferences()) {
                t = InstructionContext.dereference(t);
                context.own(p);
            }
            context.inputs[p] = t;
            Shape expected = s.expected();
            if (expected != null && t.shape() != expected && !t.shape().equals(expected)) return false;
        }
        return true;
    }
}
