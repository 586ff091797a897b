package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Kernel;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.runtime.plan.RegionPlan;
import dev.oxbow.runtime.plan.Sections;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
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

    /** The contexts of the threads of a chain; null outside of chains. */
    private final InstructionContext[] lanes;

    /** By block of a chain: the operands that are rows of whole values, by position; others are null. */
    private final Tensor[][] inputRows;

    private final Tensor[][] outputRows;

    private final Device device;
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
            Sections.Section section,
            BiConsumer<BoundCall, Throwable> whenCompleted) {
        this.device = iteration.memory.device;
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
        for (int i = 0; i < in.length; i++)
            if (inputs[i].fixed() >= 0) in[i] = as(inputs[i].as(), fixed[inputs[i].fixed()]);
        for (int i = 0; i < out.length; i++) out[i] = outputs[i].fixed() >= 0 ? fixed[outputs[i].fixed()] : placed[i];
        context = kind == RegionPlan.Kind.KERNEL
                ? new InstructionContext(instruction, iteration, in, out, error -> whenCompleted.accept(this, error))
                : null;
        for (int i = 0; i < in.length && context != null; i++) {
            Tensor constant = inputs[i].fixed() < 0
                    ? null
                    : plan.values.get(inputs[i].fixed()).constant();
            if (constant != null && device.space() != Space.HOST) context.know(i, constant);
        }
        cut = call.cut();
        Parallel parallel = device.parallel();
        int blocks = section.blocks();
        lanes = blocks == 0 ? null : new InstructionContext[section.lanes(parallel)];
        inputRows = new Tensor[blocks][in.length];
        outputRows = new Tensor[blocks][out.length];
        for (int l = 0; lanes != null && l < lanes.length; l++) {
            lanes[l] = new InstructionContext(
                    instruction, iteration, new Tensor[in.length], new Tensor[out.length], error -> {});
            if (blocks > MANY * parallel.threads()) lanes[l].runAlone();
            for (int i = 0; i < in.length; i++) lanes[l].inputs[i] = inLane(l, in[i], inputs[i].fixed(), plan);
            for (int i = 0; i < out.length; i++) lanes[l].outputs[i] = inLane(l, out[i], outputs[i].fixed(), plan);
        }
        for (int i = 0; i < in.length && lanes != null; i++)
            if (in[i] != null && lanes[0].inputs[i] == null) bindInput(i, in[i]);
        for (int i = 0; i < out.length && lanes != null; i++)
            if (out[i] != null && lanes[0].outputs[i] == null) bindOutput(i, out[i]);
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
        if (iteration.memory.device.space() != Space.HOST) return null;
        long bytes = r.type().byteSize(), address = iteration.place(r.slot(), bytes);
        return address == 0 ? null : new Tensor(r.type().dtype(), r.type().shape(), Buffer.lent(address, bytes));
    }

    private static int[] positions(int n, IntPredicate p) {
        return IntStream.range(0, n).filter(p).toArray();
    }

    /** The rows of a value that thread {@code l} of a chain has for itself; null for other values. */
    private Tensor inLane(int l, Tensor whole, int value, RegionPlan plan) {
        long stride = value < 0 ? 0 : plan.values.get(value).stride();
        return stride == 0 ? null : rows(whole, l * stride);
    }

    private void bindInput(int i, Tensor whole) {
        if (cut[i]) for (int b = 0; b < inputRows.length; b++) inputRows[b][i] = block(b, whole);
        else for (InstructionContext c : lanes) c.inputs[i] = whole;
    }

    private void bindOutput(int i, Tensor whole) {
        for (int b = 0; b < outputRows.length; b++) outputRows[b][i] = block(b, whole);
    }

    private Tensor block(int b, Tensor whole) {
        return rows(whole, b * (whole.byteSize() / inputRows.length));
    }

    /** A block of a tensor's rows, {@code offset} bytes after its start, as a view that must not outlive it. */
    private Tensor rows(Tensor whole, long offset) {
        int blocks = inputRows.length;
        return whole.lent(whole.shape().withDim(0, whole.shape().dim(0) / blocks), offset);
    }

    /** A tensor in another shape, unless that is null, as a view that must not outlive it. */
    private static Tensor as(Shape shape, Tensor t) {
        return shape == null ? t : t.lent(shape, 0);
    }

    /** Whether the shapes that a constant followed from are what they were. */
    private boolean holds(Tensor[] values) {
        for (RegionPlan.Source s : inputs) {
            Tensor t = values[s.slot()];
            if (t == null || t == Marks.DEAD) return false;
            if (s.dereferences()) t = Routing.dereference(t, device);
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
        if (lanes == null) return true;
        for (int p : fetched) bindInput(p, context.inputs[p]);
        for (int p : fresh) bindOutput(p, context.outputs[p]);
        return true;
    }

    /** Runs the kernel on block {@code b} in a lane, beside others. */
    void runBlock(int b, int lane) {
        InstructionContext c = lanes[lane];
        Tensor[] in = inputRows[b], out = outputRows[b];
        for (int i = 0; i < in.length; i++) if (in[i] != null) c.inputs[i] = in[i];
        for (int i = 0; i < out.length; i++) if (out[i] != null) c.outputs[i] = out[i];
        runNamed(c);
    }

    /** Runs the kernel beside others: an error names the node here. */
    void runNamed() {
        runNamed(context);
    }

    private void runNamed(InstructionContext c) {
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
            if (t == null || t == Marks.DEAD) return false;
            if (s.dereferences()) {
                t = Routing.dereference(t, device);
                context.own(p);
            }
            context.inputs[p] = t;
            Shape expected = s.expected();
            if (expected != null && t.shape() != expected && !t.shape().equals(expected)) return false;
            context.inputs[p] = as(s.as(), t);
        }
        return true;
    }
}
