package dev.oxbow.runtime.run;

import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Tracer;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Order;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.runtime.plan.Recording;
import dev.oxbow.runtime.plan.RegionPlan;
import dev.oxbow.runtime.plan.Sections;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A plan bound to memory, for one run at a time: its block, a tensor for each fixed value, a call for each kernel. */
final class PlannedRegion {
    final RegionPlan plan;
    private final RegionRun run;
    private final Iteration iteration;
    private final Tensor[] fixed;
    private final BoundCall[] calls;

    /** By call: the section that starts with it, where that has several. */
    private final Sections.Section[] sections;

    private final boolean[] dead;
    private final Buffer block;

    /** The lanes of the chain that runs in which no block is under way, as bits. */
    private final AtomicInteger lanes = new AtomicInteger();

    /** What the device remembers of earlier runs; null where it works at once. */
    private final Order.Replay replay;

    private int next;

    PlannedRegion(RegionPlan plan, RegionRun run) {
        this.plan = plan;
        this.run = run;
        this.iteration = run.iteration;
        Device device = iteration.memory.device;
        int n = plan.instructions.length;
        block = plan.blockSize == 0
                ? null
                : device.memory()
                        .allocateKept(plan.blockSize, "plan of " + plan.instructions[0] + " and " + (n - 1) + " more");
        fixed = new Tensor[plan.values.size()];
        for (int i = 0; i < fixed.length; i++) {
            RegionPlan.Fixed f = plan.values.get(i);
            TensorType t = f.type();
            fixed[i] = f.constant() != null
                    ? f.onHost()
                            ? f.constant().retain()
                            : device.adopt(f.constant().retain())
                    : new Tensor(t.dtype(), t.shape(), block.lend(f.offset(), t.byteSize()));
        }
        calls = new BoundCall[plan.calls.size()];
        sections = new Sections.Section[calls.length];
        for (Sections.Section s : plan.sections) {
            if (s.units().size() > 1) sections[s.units().getFirst()] = s;
            for (int c : s.units())
                calls[c] = new BoundCall(plan.calls.get(c), iteration, plan, fixed, s, run::completed);
        }
        dead = new boolean[plan.conditions + 1];
        replay = device.order() == null ? null : device.order().replay();
    }

    void begin() {
        next = 0;
    }

    /** Notes which values in the block kernels have kept, and so copied; whether there are any. */
    boolean findKept(Recording into) {
        boolean any = false;
        for (BoundCall c : calls)
            if (c.context != null && c.members.length == 1) any |= findKept(into, c.at, c.context);
        return any;
    }

    boolean findKept(Recording into, int at, InstructionContext context) {
        boolean any = false;
        for (int k = 0; k < context.kept.length; k++) {
            if (!context.kept[k] || !isInBlock(plan.instructions[at].in[k])) continue;
            into.keeps(at, k, context.kept.length);
            any = true;
        }
        return any;
    }

    private boolean isInBlock(int slot) {
        for (int i = 0; i < plan.instructions.length; i++) {
            int[] outputs = plan.fixedOutputs[i];
            for (int p = 0; outputs != null && p < outputs.length; p++)
                if (plan.instructions[i].out[p] == slot)
                    return outputs[p] >= 0 && plan.values.get(outputs[p]).constant() == null;
        }
        return false;
    }

    /** The call that runs, or would run next. */
    BoundCall current() {
        return calls[next];
    }

    void advance() {
        next++;
    }

    /** Runs calls in order, as {@link RegionRun#run} does. */
    RegionRun.Outcome run(DeviceStep step, Ready ready) {
        if (replay == null) return runCalls(step, ready);
        boolean ended = false;
        replay.enter(next == 0);
        try {
            RegionRun.Outcome outcome = runCalls(step, ready);
            ended = outcome == RegionRun.Outcome.ENDED;
            return outcome;
        } finally {
            replay.leave(ended);
        }
    }

    private RegionRun.Outcome runCalls(DeviceStep step, Ready ready) {
        Tracer tracer = step.tracer;
        while (next < calls.length) {
            BoundCall c = calls[next];
            run.at = c.at;
            if (!c.plain && !haveArrived(step)) return RegionRun.Outcome.STOPPED;
            if (step.stop != null && step.stopsAt(c.instruction, iteration, hasNothingToDo(c)))
                return RegionRun.Outcome.STOPPED;
            if (tracer != null) run.watch(step);
            if (sections[next] != null && !isDead(c)) {
                if (!runSection(sections[next], step, ready)) return RegionRun.Outcome.LEFT;
                ready.startWaiting();
                continue;
            }
            if (c.plain) {
                c.kernel.run(c.context);
                if (c.context.isDeferred() && !c.context.hasCompleted()) return RegionRun.Outcome.DEFERRED;
                if (c.context.hasRead()) c.context.releaseInputs();
                if (tracer != null) run.watched(step, c.members);
                next++;
                continue;
            }
            if (c.kind == RegionPlan.Kind.GENERAL) {
                if (!run.execute(step, c.instruction, ready)) return RegionRun.Outcome.DEFERRED;
            } else if (isDead(c)) {
                for (int m : c.members) iteration.dead(plan.instructions[m], ready);
            } else {
                BoundCall.Outcome o = c.run(iteration.values);
                if (o == BoundCall.Outcome.DOES_NOT_FIT) return RegionRun.Outcome.LEFT;
                if (o == BoundCall.Outcome.DEFERRED) return RegionRun.Outcome.DEFERRED;
                for (int m : c.members) run.tell(step, plan.instructions[m], ready);
            }
            if (tracer != null) run.watched(step, c.members);
            Routing.free(iteration.values, c.release);
            next++;
            ready.startWaiting();
        }
        return RegionRun.Outcome.ENDED;
    }

    /**
     * Whether the values of other regions are there that the next section needs; otherwise the run is parked. They never
     * depend on this region, so it may as well wait for all of them at once.
     */
    private boolean haveArrived(DeviceStep step) {
        int last = sections[next] == null ? next : sections[next].units().getLast();
        for (int i = next; i <= last; i++) {
            for (int m : calls[i].awaited) {
                run.at = m;
                if (!step.arrived(run, plan.instructions[m])) return false;
            }
        }
        run.at = calls[next].at;
        return true;
    }

    /** Runs calls that share the threads; false, with nothing done, when the plan does not hold for one of them. */
    private boolean runSection(Sections.Section s, DeviceStep step, Ready ready) {
        int from = s.units().getFirst(), count = s.units().size();
        for (int i = 0; i < count; i++) {
            if (calls[from + i].prepare(iteration.values)) continue;
            for (int k = 0; k < i; k++) calls[from + k].drop();
            return false;
        }
        try {
            if (s.blocks() > 0) {
                lanes.set((1 << s.lanes(parallel())) - 1);
                parallel().run(s.blocks(), 1, (first, last) -> {
                    int lane = takeLane();
                    try {
                        for (long b = first; b < last; b++)
                            for (int i = 0; i < count; i++) calls[from + i].runBlock((int) b, lane);
                    } finally {
                        lanes.getAndUpdate(free -> free | 1 << lane);
                    }
                });
            } else {
                parallel().run(count, 1, (first, last) -> {
                    for (long i = first; i < last; i++) calls[from + (int) i].runNamed();
                });
            }
        } catch (Throwable e) {
            for (int i = 0; i < count; i++) calls[from + i].drop();
            throw e;
        }
        for (int i = 0; i < count; i++) {
            BoundCall c = calls[from + i];
            c.store(iteration.values);
            for (int m : c.members) run.tell(step, plan.instructions[m], ready);
        }
        if (step.tracer != null)
            run.watched(
                    step,
                    IntStream.range(from, from + count)
                            .flatMap(i -> IntStream.of(calls[i].members))
                            .toArray());
        for (int i = 0; i < count; i++) Routing.free(iteration.values, calls[from + i].release);
        next = from + count;
        return true;
    }

    /** A lane for a block; there is one for each thread, and a thread that helps another is one of them. */
    private int takeLane() {
        return Integer.numberOfTrailingZeros(lanes.getAndUpdate(free -> free & free - 1));
    }

    private Parallel parallel() {
        return iteration.memory.device.parallel();
    }

    private boolean hasNothingToDo(BoundCall c) {
        return switch (c.kind) {
            case KERNEL -> isDead(c);
            case GENERAL -> run.isDead(c.instruction);
            case STORE -> true;
        };
    }

    private boolean isDead(BoundCall c) {
        if (c.condition == 0) return false;
        if (c.leader) {
            boolean found = false;
            for (int m : c.members) found |= Routing.isDead(plan.instructions[m], iteration.values);
            dead[c.condition] = found;
        }
        return dead[c.condition];
    }

    /**
     * Hands over to a run without the plan, which does what has not been done: fills the slots that it will read, and
     * says which instructions ran.
     */
    boolean[] leave() {
        int n = plan.instructions.length;
        boolean[] ran = new boolean[n];
        boolean[] wasDead = new boolean[n];
        boolean[] called = new boolean[n];
        for (int i = 0; i < calls.length; i++) {
            for (int m : calls[i].members) {
                called[m] = true;
                ran[m] = i < next;
                wasDead[m] = dead[calls[i].condition];
            }
        }
        Map<Integer, Integer> producer = new HashMap<>();
        for (int i = 0; i < n; i++) { // a constant or a view without a call has run when all that it came from has
            Instruction in = plan.instructions[i];
            if (!called[i]) {
                ran[i] = true;
                for (int s : in.in) if (producer.containsKey(s)) ran[i] &= ran[producer.get(s)];
            }
            for (int s : in.out) if (s >= 0) producer.put(s, i);
        }
        Set<Integer> wanted = new HashSet<>();
        for (int i = 0; i < n; i++) if (!ran[i]) for (int s : plan.instructions[i].in) wanted.add(s);
        for (int i = 0; i < n; i++) {
            int[] outputs = plan.fixedOutputs[i];
            if (!ran[i] || outputs == null) continue;
            for (int p = 0; p < outputs.length; p++) {
                int s = plan.instructions[i].out[p];
                if (outputs[p] < 0 || s < 0 || !wanted.contains(s) || iteration.values[s] != null) continue;
                iteration.values[s] = wasDead[i] ? Marks.DEAD : fixed[outputs[p]].retain();
            }
        }
        return ran;
    }

    void close() {
        if (replay != null) replay.close();
        for (int i = 0; i < fixed.length; i++) if (plan.values.get(i).constant() != null) fixed[i].release();
        if (block != null) block.release();
    }
}
