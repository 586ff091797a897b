package dev.oxbow.runtime;

import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.Send;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A region's progress in one iteration: runs its instructions in order, parking where a value has not come yet. */
final class RegionRun {
    final Iteration iteration;
    private final FrameProgram.Region region;
    private final Instruction[] instructions;
    private final InstructionContext[] contexts;
    private int at;

    /** The plan this run follows, with its memory; null without one. */
    private PlannedRegion planned;

    /** Memory kept for the next run by the same plan. */
    private PlannedRegion kept;

    /** Filled while a run without a plan is watched. */
    private Recording recording;

    /** Whether it waits to be scheduled, at its start or at an instruction; guarded by the step. */
    boolean parked;

    RegionRun(Iteration iteration, FrameProgram.Region region) {
        this.iteration = iteration;
        this.region = region;
        this.instructions = region.instructions;
        this.contexts = new InstructionContext[instructions.length];
    }

    void begin() {
        at = 0;
        parked = true;
    }

    /** The instruction it stands at. */
    Instruction current() {
        return instructions[at];
    }

    /** Runs until the end, an instruction whose input is missing, a deferred kernel, or an error. */
    void run(Step.Ready ready) {
        Step step = iteration.frame.step;
        try {
            if (at == 0) choosePlan(step);
            while (at < instructions.length) {
                if (step.error != null) break;
                Instruction i = instructions[at];
                if (i.external > 0 && !step.arrived(this, i)) break;
                if (!execute(step, i, ready)) return; // deferred: the completion goes on
                at++;
            }
            if (at == instructions.length && step.error == null) {
                if (recording != null) makePlan();
                step.regionEnded(iteration, ready);
            }
        } catch (Throwable e) {
            step.fail(Failures.at(instructions[Math.min(at, instructions.length - 1)].node, e));
        }
        step.release();
    }

    /** Goes on after a deferred kernel has completed. */
    private void completed(Step step, InstructionContext c, Throwable error) {
        if (error != null) step.fail(Failures.at(instructions[at].node, error));
        else {
            try {
                Step.Ready ready = new Step.Ready();
                publish(step, instructions[at], c, ready);
                at++;
                for (RegionRun r : ready.queue) step.resume(r);
            } catch (Throwable e) {
                step.fail(Failures.at(instructions[at].node, e));
            }
        }
        step.resume(this);
    }

    void abandon() {
        if (recording != null) recording.drop();
        recording = null;
        for (InstructionContext c : contexts) if (c != null) c.drop();
    }

    private InstructionContext context(Step step, Instruction i) {
        InstructionContext c = contexts[at];
        if (c == null) c = contexts[at] = new InstructionContext(i, iteration);
        c.begin(step);
        return c;
    }

    /** Takes the newest plan that fits the arguments; without one, this run is recorded. */
    private void choosePlan(Step step) {
        planned = null;
        if (recording != null) recording.drop();
        recording = null;
        if (!step.session.plans()
                || instructions.length == 1 && instructions[0].node.op().waits()) return;
        List<RegionPlan> plans = region.plans.get();
        for (RegionPlan p : plans) {
            if (!p.fits(step.arguments)) continue;
            if (kept == null || kept.plan != p) {
                if (kept != null) kept.close();
                kept = new PlannedRegion(p, step.program.device().memory());
            }
            planned = kept;
            return;
        }
        recording = new Recording(instructions.length);
    }

    private void makePlan() {
        RegionPlan made = new Planner(iteration.program, instructions, recording).plan();
        recording = null;
        region.add(made);
    }

    /** Goes on without the plan, whose shapes do not hold: runs what it had put off, and has the next run recorded. */
    private void leavePlan(Step step, Step.Ready ready) {
        RegionPlan plan = planned.plan;
        region.remove(plan);
        planned = null;
        int here = at;
        boolean[] putOff = new boolean[here];
        for (int last = here; last < plan.fusions.length; last++) {
            if (plan.fusions[last] != null) for (int m : plan.fusions[last].members()) if (m < here) putOff[m] = true;
        }
        for (at = 0; at < here; at++) {
            if (!putOff[at]) continue;
            Instruction i = instructions[at];
            if (i.mayBeDead && isDead(i, iteration.values)) dead(step, i, ready);
            else runAlone(step, i, ready);
        }
        at = here;
    }

    /** Runs an elementwise instruction that was to be part of a fused kernel. */
    private void runAlone(Step step, Instruction i, Step.Ready ready) {
        InstructionContext c = context(step, i);
        c.runNow(i.node.op().cpu());
        publish(step, i, c, ready);
    }

    void close() {
        if (kept != null) kept.close();
        kept = null;
        planned = null;
    }

    /** Runs an instruction by the plan; null when the plan says nothing about it or does not hold. */
    private Boolean executePlanned(Step step, Instruction i, Step.Ready ready) {
        RegionPlan plan = planned.plan;
        switch (plan.modes[at]) {
            case DYNAMIC -> {
                return null;
            }
            case FUSED_PART -> {
                return true;
            }
            case CONSTANT -> {
                if (i.mayBeDead && isDead(i, iteration.values)) return null;
                if (!holds(plan.guards[at], i.in, i)) {
                    leavePlan(step, ready);
                    return null;
                }
                Tensor[] constants = plan.constants[at];
                for (int p = 0; p < constants.length; p++)
                    if (constants[p] != null) iteration.values[i.out[p]] = constants[p].retain();
                finish(step, i, ready);
                return true;
            }
            case STATIC -> {
                if (i.mayBeDead && isDead(i, iteration.values)) return null;
                if (!holds(plan.guards[at], i.in, i)) {
                    leavePlan(step, ready);
                    return null;
                }
                InstructionContext c = context(step, i);
                if (!c.run(planned.memory[at], plan.types[at], error -> completed(step, c, error))) return false;
                publish(step, i, c, ready);
                return true;
            }
            case FUSED -> {
                fused(step, plan.fusions[at], plan.guards[at], ready);
                return true;
            }
        }
        throw new IllegalStateException();
    }

    /** Whether the inputs that the plan does not make have the shapes that it was made for. */
    private boolean holds(RegionPlan.Guard guard, int[] slots, Instruction i) {
        for (int k = 0; k < guard.inputs().length; k++) {
            int at = guard.inputs()[k];
            Tensor t = iteration.values[slots[at]];
            if (t == null || t == Iteration.DEAD) return false;
            Shape expected = guard.shapes()[k];
            if (i != null && i.deref[at]) {
                Tensor value = InstructionContext.dereference(t);
                boolean same = value.shape().equals(expected);
                value.release();
                if (!same) return false;
            } else if (t.shape() != expected && !t.shape().equals(expected)) {
                return false;
            }
        }
        return true;
    }

    private void fused(Step step, Fusion f, RegionPlan.Guard guard, Step.Ready ready) {
        Tensor[] values = iteration.values;
        boolean dead = false;
        for (int m : f.members()) dead |= instructions[m].mayBeDead && isDead(instructions[m], values);
        if (dead) {
            for (int m : f.members()) dead(step, instructions[m], ready);
            return;
        }
        if (!holds(guard, f.inputSlots(), null)) {
            leavePlan(step, ready);
            runAlone(step, instructions[at], ready);
            return;
        }
        Tensor[] in = planned.inputs[at];
        for (int k = 0; k < in.length; k++) in[k] = values[f.inputSlots()[k]];
        Tensor[] lent = planned.memory[at], out = planned.outputs[at];
        for (int k = 0; k < out.length; k++) {
            int[] place = f.outputs()[k];
            var type = planned.plan.types[place[0]][place[1]];
            out[k] = lent[k] != null
                    ? lent[k]
                    : step.program.device().memory().tensor(type.dtype(), type.shape(), instructions[place[0]]);
        }
        f.kernel().run(step.program.device().parallel(), f.shape(), in, out);
        for (int k = 0; k < out.length; k++) {
            int[] place = f.outputs()[k];
            values[instructions[place[0]].out[place[1]]] = out[k];
            out[k] = null;
        }
        for (int m : f.members()) finish(step, instructions[m], ready);
    }

    private boolean execute(Step step, Instruction i, Step.Ready ready) {
        Tensor[] values = iteration.values;
        if (planned != null) {
            Boolean done = executePlanned(step, i, ready);
            if (done != null) return done;
        }
        if (recording != null) recording.inputs(i, values);
        if (i.mayBeDead && i.kind != Instruction.Kind.MERGE && isDead(i, values)) {
            dead(step, i, ready);
            return true;
        }
        switch (i.kind) {
            case KERNEL -> {
                InstructionContext c = context(step, i);
                if (!c.run(error -> completed(step, c, error))) return false;
                publish(step, i, c, ready);
                return true;
            }
            case ARG -> {
                int index = ((dev.oxbow.graph.core.Arg) i.node.op()).index();
                if (recording != null) recording.outputs[at] = step.arguments[index].shape();
                give(values, i.out[0], step.arguments[index].retain());
            }
            case RETVAL -> {
                InstructionContext c = context(step, i);
                c.takeInputs();
                step.results[((dev.oxbow.graph.core.Retval) i.node.op()).index()] = c.keep(0);
                c.drop();
            }
            case SWITCH -> {
                InstructionContext c = context(step, i);
                c.takeInputs();
                Tensor pred = c.input(1);
                if (!pred.shape().isScalar())
                    throw new dev.oxbow.tensor.OxbowException(
                            dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT,
                            "The second input must be a scalar, but it has shape " + pred.shape());
                int live = pred.getLong(0) != 0 ? 1 : 0;
                give(values, i.out[live], c.input(0).retain());
                give(values, i.out[1 - live], Iteration.DEAD);
                c.drop();
            }
            case MERGE -> merge(step, i, values, ready);
            case LOOP_MERGE -> {
                int which = iteration.number == 0 ? 0 : 1;
                give(values, i.out[0], live(i, which));
                if (i.out[1] >= 0) give(values, i.out[1], index(step, which));
            }
            case ENTER -> {
                boolean constant =
                        i.node.op() instanceof Enter e ? e.isConstant() : ((RefEnter) i.node.op()).isConstant();
                step.enter(iteration, i, live(i, 0), constant, ready);
                free(i, values);
                return true;
            }
            case EXIT -> {
                step.exit(iteration, i, live(i, 0), ready);
                free(i, values);
                return true;
            }
            case NEXT_ITERATION -> {
                step.nextIteration(iteration, i, live(i, 0), ready);
                free(i, values);
                return true;
            }
            case SEND -> {
                InstructionContext c = context(step, i);
                c.takeInputs();
                step.rendezvous.send(((Send) i.node.op()).key(c.frameAndIteration()), c.keep(0));
                c.drop();
            }
            case RECV -> {
                return receive(step, i, ready);
            }
            case CALL -> {
                InstructionContext c = context(step, i);
                if (!c.call(error -> completed(step, c, error))) return false;
                publish(step, i, c, ready);
                return true;
            }
        }
        finish(step, i, ready);
        return true;
    }

    /** Input {@code k} with a reference for whoever takes it, dereferenced where the consumer wants the value. */
    private Tensor live(Instruction i, int k) {
        Tensor t = iteration.values[i.in[k]];
        if (t == Iteration.DEAD) return t;
        if (i.kind != Instruction.Kind.LOOP_MERGE && i.deref[k]) return InstructionContext.dereference(t);
        return t.retain();
    }

    private static boolean isDead(Instruction i, Tensor[] values) {
        if (i.kind != Instruction.Kind.LOOP_MERGE) for (int s : i.in) if (values[s] == Iteration.DEAD) return true;
        for (int s : i.controlIn) if (values[s] == Iteration.DEAD) return true;
        return false;
    }

    /** Passes deadness on; what ends at a frame's border is told by the frame when it ends. */
    private void dead(Step step, Instruction i, Step.Ready ready) {
        Tensor[] values = iteration.values;
        switch (i.kind) {
            case NEXT_ITERATION -> step.nextIteration(iteration, i, Iteration.DEAD, ready);
            case EXIT -> {}
            case ENTER -> {
                boolean constant =
                        i.node.op() instanceof Enter e ? e.isConstant() : ((RefEnter) i.node.op()).isConstant();
                step.enter(iteration, i, Iteration.DEAD, constant, ready);
            }
            case SEND ->
                step.rendezvous.send(((Send) i.node.op()).key(InstructionContext.frameAndIteration(iteration)), null);
            case RETVAL ->
                throw new dev.oxbow.tensor.OxbowException(
                        dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT,
                        "Retval[" + ((dev.oxbow.graph.core.Retval) i.node.op()).index()
                                + "] does not have value: the fetched value is in a branch that was not taken");
            default -> {
                for (int s : i.out) give(values, s, Iteration.DEAD);
                if (i.controlOut >= 0) values[i.controlOut] = Iteration.DEAD;
                if (i.notify.length > 0) step.tell(iteration, i.notify, ready);
            }
        }
        free(i, values);
    }

    private void merge(Step step, Instruction i, Tensor[] values, Step.Ready ready) {
        int which = -1;
        for (int k = 0; k < i.in.length && which < 0; k++) if (values[i.in[k]] != Iteration.DEAD) which = k;
        for (int s : i.controlIn) if (values[s] == Iteration.DEAD) which = -1;
        if (which < 0) {
            for (int s : i.out) give(values, s, Iteration.DEAD);
        } else {
            give(values, i.out[0], live(i, which));
            if (i.out[1] >= 0) give(values, i.out[1], index(step, which));
        }
        if (i.controlOut >= 0) values[i.controlOut] = which < 0 ? Iteration.DEAD : Iteration.ALIVE;
    }

    private static Tensor index(Step step, int which) {
        Tensor t = step.program.device().memory().tensor(DType.I32, Shape.SCALAR, "value_index");
        t.setLong(0, which);
        return t;
    }

    private boolean receive(Step step, Instruction i, Step.Ready ready) {
        InstructionContext c = context(step, i);
        String key = ((Recv) i.node.op()).key(c.frameAndIteration());
        boolean now = c.run(
                k -> {
                    var completion = k.defer();
                    step.rendezvous.receive(key, (value, error) -> {
                        if (error != null) completion.fail(error);
                        else {
                            if (value == null) c.receivedDead = true;
                            else k.set(0, value);
                            completion.done();
                        }
                    });
                },
                error -> completed(step, c, error));
        if (!now) return false;
        publish(step, i, c, ready);
        return true;
    }

    private static void give(Tensor[] values, int slot, Tensor t) {
        if (slot >= 0) values[slot] = t;
        else if (t != Iteration.DEAD) t.release();
    }

    /** Stores a kernel's outputs and tells who waits for them. */
    private void publish(Step step, Instruction i, InstructionContext c, Step.Ready ready) {
        if (c.receivedDead) {
            c.drop();
            dead(step, i, ready);
            return;
        }
        List<Tensor> fromShapes = null;
        Shape[] inputShapes = null;
        if (recording != null && i.kind == Instruction.Kind.KERNEL) {
            inputShapes = c.inputShapes();
            fromShapes = i.node.op().constants(c.inference());
        }
        c.giveOutputs(iteration.values);
        if (inputShapes != null) recording.ran(at, i, c, iteration.values, inputShapes, fromShapes);
        finish(step, i, ready);
    }

    private void finish(Step step, Instruction i, Step.Ready ready) {
        if (i.controlOut >= 0 && i.kind != Instruction.Kind.MERGE) iteration.values[i.controlOut] = Iteration.ALIVE;
        if (i.notify.length > 0) step.tell(iteration, i.notify, ready);
        free(i, iteration.values);
    }

    private void free(Instruction i, Tensor[] values) {
        for (int s : planned != null ? planned.plan.release[at] : i.release) {
            Tensor t = values[s];
            if (t == null) continue;
            values[s] = null;
            if (t != Iteration.DEAD && t != Iteration.ALIVE) t.release();
        }
    }
}
