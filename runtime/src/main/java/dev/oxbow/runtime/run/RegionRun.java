package dev.oxbow.runtime.run;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.runtime.compile.Region;
import dev.oxbow.runtime.plan.Forecast;
import dev.oxbow.runtime.plan.PlanCache;
import dev.oxbow.runtime.plan.Recording;
import dev.oxbow.runtime.plan.RegionPlan;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A region's progress in one iteration: runs its instructions in order, parking where a value has not come yet. */
final class RegionRun {
    final Iteration iteration;
    private final Region region;
    private final PlanCache plans;
    private final Instruction[] instructions;
    private final InstructionContext[] contexts;

    /** Whether it is one waiting op. */
    final boolean waits;

    /** The instruction it stands at. */
    int at;

    private boolean started;

    /** The plan this run follows, with its memory; null without one. */
    private PlannedRegion planned;

    /** Memory kept for the next run by the same plan. */
    private PlannedRegion kept;

    /** Filled while a run without a plan is watched. */
    private Recording recording;

    /** Whether the recorded run is the first of its region; where shapes alternate, later ones keep their memory. */
    private boolean first;

    /** What the plan of this run was made from, when that was before any run; else null. */
    private Recording foreseen;

    /** After leaving a plan, the instructions that ran by it; else null. */
    private boolean[] ran;

    /** When the instruction began at which it stands, and since when it stood in line before that; for a tracer. */
    long from, ready = Long.MAX_VALUE;

    /** Whether it waits to be scheduled, at its start or at an instruction; guarded by the step. */
    boolean parked;

    /** Why running came to an end. */
    enum Outcome {
        /** The last instruction has run. */
        ENDED,
        /** An input is missing, or the step has failed. */
        STOPPED,
        /** A kernel completes later, and its completion goes on. */
        DEFERRED,
        /** The plan does not hold. */
        LEFT
    }

    RegionRun(Iteration iteration, Region region) {
        this.iteration = iteration;
        this.region = region;
        this.plans = iteration.memory.plans[region.index()];
        this.instructions = region.instructions();
        this.contexts = new InstructionContext[instructions.length];
        this.waits = region.waits();
    }

    void begin() {
        at = 0;
        parked = true;
        started = false;
    }

    /** The instruction it stands at. */
    Instruction current() {
        return instructions[at];
    }

    /** Runs until the end, an instruction whose input is missing, a deferred kernel, or an error. */
    void run(Ready ready) {
        DeviceStep step = iteration.frame.step;
        try {
            if (!started) choosePlan(step);
            Outcome outcome = Outcome.LEFT;
            if (planned != null) {
                outcome = planned.run(step, ready);
                if (outcome == Outcome.LEFT) leavePlan();
            }
            if (outcome == Outcome.LEFT) outcome = runPlain(step, ready);
            if (outcome == Outcome.DEFERRED) return;
            if (outcome == Outcome.ENDED) {
                if (recording != null) {
                    plans.make(recording, step.session.fuses());
                    recording = null;
                    if (first) memory().trim(); // of what the plan will not need
                } else if (foreseen != null) confirmPlan(step);
                step.regionEnded(iteration, ready);
            }
        } catch (Throwable e) {
            close(); // a kernel that threw may have left its call in any state
            step.fail(instructions[Math.min(at, instructions.length - 1)].node, iteration, e);
        }
        step.release();
    }

    private Outcome runPlain(DeviceStep step, Ready ready) {
        for (; at < instructions.length; at++) {
            Instruction i = instructions[at];
            if (ran != null && ran[at]) continue;
            if (i.external > 0 && !step.arrived(this, i)) return Outcome.STOPPED;
            if (step.stop != null && step.stopsAt(i, iteration, isDead(i))) return Outcome.STOPPED;
            watch(step);
            if (!execute(step, i, ready)) return Outcome.DEFERRED;
            watched(step, at);
            Routing.free(iteration.values, i.release);
            ready.startWaiting();
        }
        return Outcome.ENDED;
    }

    /** Goes on after a deferred kernel has completed. */
    private void completed(DeviceStep step, InstructionContext c, Throwable error) {
        goOn(step, error, ready -> {
            publish(step, instructions[at], c, ready);
            watched(step, at);
            if (planned != null) {
                Routing.free(iteration.values, planned.current().release);
                planned.advance();
            } else {
                Routing.free(iteration.values, instructions[at].release);
                at++;
            }
        });
    }

    /** Goes on after a plan's call has completed. */
    void completed(BoundCall c, Throwable error) {
        DeviceStep step = iteration.frame.step;
        c.context.begin();
        if (error != null) c.drop();
        goOn(step, error, ready -> {
            c.store(iteration.values);
            for (int m : c.members) tell(step, instructions[m], ready);
            watched(step, c.members);
            Routing.free(iteration.values, c.release);
            planned.advance();
        });
    }

    /** Notes when what comes next began, where somebody wants to know. */
    void watch(DeviceStep step) {
        if (step.tracer != null) from = System.nanoTime();
    }

    /** Tells who watches that these instructions have run, unless they were dead. */
    void watched(DeviceStep step, int... members) {
        if (step.tracer == null || isDead(instructions[members[0]])) return;
        List<Node> nodes =
                IntStream.of(members).mapToObj(m -> instructions[m].node).toList();
        step.tracer.done(iteration.memory.device.name(), nodes, Math.min(ready, from), from, System.nanoTime());
        ready = Long.MAX_VALUE;
    }

    private void goOn(DeviceStep step, Throwable error, Consumer<Ready> finish) {
        Ready here = Ready.ofReturn(step), ready = here != null ? here : new Ready();
        if (error != null) step.fail(instructions[at].node, iteration, error);
        else {
            try {
                finish.accept(ready);
            } catch (Throwable e) {
                step.fail(instructions[at].node, iteration, e);
            }
        }
        if (here != null) here.queue.add(this);
        else step.resume(this, ready);
    }

    void abandon() {
        if (recording != null) recording.drop();
        recording = null;
        foreseen = null;
        for (InstructionContext c : contexts) if (c != null) c.drop();
    }

    private InstructionContext context(Instruction i) {
        InstructionContext c = contexts[at];
        if (c == null) c = contexts[at] = new InstructionContext(i, iteration);
        c.begin();
        return c;
    }

    /** Takes the newest plan that fits the arguments; without one, this run is recorded. */
    private void choosePlan(DeviceStep step) {
        started = true;
        planned = null;
        foreseen = null;
        ran = null;
        if (recording != null) recording.drop();
        recording = null;
        if (!step.session.plans() || plans.doNotFit() || waits) return;
        RegionPlan plan = plans.find(step.arguments);
        if (plan != null) {
            follow(plan);
            return;
        }
        first = plans.isFirstRun();
        if (first && planAhead(step)) return;
        if (!plans.doNotFit()) recording = new Recording(instructions.length);
    }

    private void follow(RegionPlan p) {
        if (kept == null || kept.plan != p) {
            close(); // a failure to get memory must not leave a closed one
            kept = new PlannedRegion(p, this);
        }
        planned = kept;
        planned.begin();
    }

    /** Makes a plan without a run to learn from, where types tell enough; whether this run follows it. */
    private boolean planAhead(DeviceStep step) {
        Forecast f = new Forecast(instructions, step.arguments);
        if (!f.isWhole()) {
            f.record.drop();
            return false;
        }
        RegionPlan made = plans.make(f.record, step.session.fuses());
        if (made == null || !made.fits(step.arguments)) return false;
        foreseen = f.record;
        follow(made);
        return true;
    }

    /** After the first run by a plan made ahead: values that a kernel keeps get memory of their own. */
    private void confirmPlan(DeviceStep step) {
        Recording r = foreseen;
        foreseen = null;
        boolean any = planned.findKept(r);
        for (int i = 0; i < contexts.length; i++)
            if (contexts[i] != null && instructions[i].kind == Instruction.Kind.KERNEL)
                any |= planned.findKept(r, i, contexts[i]);
        if (!any) return;
        plans.remove(planned.plan);
        close();
        memory().trim();
        plans.make(r, step.session.fuses());
    }

    private Device device() {
        return iteration.memory.device;
    }

    private MemoryPool memory() {
        return device().memory();
    }

    /** Goes on without the plan, whose shapes do not hold, and has the next run recorded. */
    private void leavePlan() {
        foreseen = null;
        plans.remove(planned.plan);
        ran = planned.leave();
        planned = null;
        at = 0;
    }

    /** Whether it is a draw of one of the iterations that a loop begins at once, the last of which draws first. */
    boolean isPutOff() {
        return region.isDraw() && iteration.number < iteration.program.parallelIterations();
    }

    void close() {
        if (kept != null) kept.close();
        kept = null;
        planned = null;
    }

    /** Runs one instruction; false when its kernel completes later. */
    boolean execute(DeviceStep step, Instruction i, Ready ready) {
        Tensor[] values = iteration.values;
        if (recording != null) recording.inputs(i, values);
        if (isDead(i)) {
            iteration.dead(i, ready);
            return true;
        }
        switch (i.kind) {
            case KERNEL -> {
                InstructionContext c = context(i);
                if (!c.run(error -> completed(step, c, error))) return false;
                publish(step, i, c, ready);
                return true;
            }
            case ARG -> {
                int index = ((Arg) i.node.op()).index();
                Tensor argument = step.arguments[index];
                if (recording != null) recording.outputs[at] = argument.shape();
                Tensor own = argument.view(argument.shape()); // the caller's may be closed meanwhile
                Routing.give(values, i.out[0], i.onHost ? Routing.toHost(own) : device().adopt(own));
            }
            case RETVAL -> {
                InstructionContext c = context(i);
                c.takeInputs();
                step.results[((Retval) i.node.op()).index()] = c.keep(0);
                c.drop();
            }
            case SWITCH -> {
                InstructionContext c = context(i);
                c.takeInputs();
                Routing.branch(i, values, c.input(0), c.input(1));
                c.drop();
            }
            case MERGE -> Routing.merge(i, values, device());
            case LOOP_MERGE -> Routing.take(i, values, iteration.number == 0 ? 0 : 1, device());
            case ENTER -> {
                iteration.enter(i, Routing.live(i, values, 0, device()), ready);
                return true;
            }
            case EXIT -> {
                step.exit(iteration, i, Routing.live(i, values, 0, device()), ready);
                return true;
            }
            case NEXT_ITERATION -> {
                step.nextIteration(iteration, i, Routing.live(i, values, 0, device()), ready);
                return true;
            }
            case SEND -> {
                InstructionContext c = context(i);
                c.takeInputs();
                iteration.send(i, c.keep(0));
                c.drop();
            }
            case RECV -> {
                return receive(step, i, ready);
            }
            case CALL -> {
                InstructionContext c = context(i);
                if (!c.call(error -> completed(step, c, error))) return false;
                publish(step, i, c, ready);
                return true;
            }
        }
        tell(step, i, ready);
        return true;
    }

    /** Whether an instruction whose inputs are there has nothing to do. */
    boolean isDead(Instruction i) {
        return i.mayBeDead && i.kind != Instruction.Kind.MERGE && Routing.isDead(i, iteration.values);
    }

    private boolean receive(DeviceStep step, Instruction i, Ready ready) {
        InstructionContext c = context(i);
        String key = ((Recv) i.node.op()).key(iteration.frame.id, iteration.number);
        boolean now = c.run(
                k -> {
                    var completion = k.defer();
                    step.context.rendezvous().receive(key, (value, error) -> {
                        Throwable failure = error != null ? error : c.receive(value);
                        if (failure != null) completion.fail(failure);
                        else completion.done();
                    });
                },
                error -> completed(step, c, error));
        if (!now) return false;
        publish(step, i, c, ready);
        return true;
    }

    /** Stores a kernel's outputs and tells who waits for them. */
    private void publish(DeviceStep step, Instruction i, InstructionContext c, Ready ready) {
        if (c.receivedDead) {
            c.drop();
            iteration.dead(i, ready);
            return;
        }
        Recording.Ran ran = recording != null && i.kind == Instruction.Kind.KERNEL ? c.record() : null;
        c.giveOutputs(iteration.values);
        if (ran != null) recording.ran(at, i, iteration.values, ran);
        tell(step, i, ready);
    }

    /** Says that an instruction has run and its outputs are in their slots. */
    void tell(DeviceStep step, Instruction i, Ready ready) {
        if (i.controlOut >= 0 && i.kind != Instruction.Kind.MERGE) iteration.values[i.controlOut] = Marks.ALIVE;
        if (i.notify.length > 0) step.tell(iteration, i.notify, ready);
    }
}
