package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * One run of one device's program. Regions run on the pool's threads or on the caller's; between regions, values are
 * handed over under this object's lock. The step ends when nothing runs or waits any more.
 */
final class DeviceStep {

    /*
     * `running` counts regions that are queued, run or wait for a deferred kernel; parked regions do not count. When it
     * falls to zero nothing can ever happen again: either the root frame has ended, or the graph was malformed. After
     * an error regions stop at their next instruction, so the count falls to zero soon, and everything that slots and
     * frames still hold is released then.
     *
     * A cancellation is no error yet: it becomes one at the first instruction that would do something, or that waits. A step
     * that has only values to hand on ends well, so what it took from a queue arrives, and what it put into one was reported.
     */

    final ProgramMemory program;
    final Tensor[] arguments;
    final Tensor[] results;
    final StepScope scope;
    final StepContext context;
    final StepSession session;

    /** Null where nobody wants to see what the step does. */
    final Tracer tracer;

    private final BiConsumer<Tensor[], OxbowException> then;

    private int running;
    private boolean rootEnded;
    private FrameRun root;
    private boolean failed;

    /** Why the step is to stop, its error or else its cancellation; null while it goes on. */
    volatile OxbowException stop;

    DeviceStep(
            ProgramMemory program,
            StepScope scope,
            Tensor[] arguments,
            int results,
            BiConsumer<Tensor[], OxbowException> then) {
        this.program = program;
        this.scope = scope;
        this.context = scope.context();
        this.session = scope.session();
        this.tracer = context.tracer();
        this.arguments = arguments;
        this.results = new Tensor[results];
        this.then = then;
    }

    /** Starts the step and works on it with this thread as long as there is something to do. */
    void start() {
        Ready ready = new Ready();
        ready.work(() -> begin(ready));
    }

    /** Starts the step; what is ready to run is left to the caller. */
    void begin(Ready ready) {
        try {
            synchronized (this) {
                running++; // holds the step open while it starts
                root = new FrameRun(this, program.frames().getFirst(), null);
                newIteration(root, ready);
            }
        } catch (Throwable e) {
            fail(Failures.of(e));
        }
        release();
    }

    /** Continues a region after a completion, on a thread of the step, and runs what the completion made ready. */
    void resume(RegionRun r, Ready ready) {
        scope.executor()
                .execute(() -> ready.work(() -> {
                    ready.startWaiting();
                    r.run(ready);
                }));
    }

    /** Whether the region may go on to this instruction now; otherwise it is parked there. */
    synchronized boolean arrived(RegionRun r, Instruction i) {
        if (r.iteration.pending[i.index] == 0) return true;
        r.parked = true;
        return false;
    }

    /** Tells other regions of the same iteration that a value they wait for is in its slot. */
    void tell(Iteration it, int[] consumers, Ready ready) {
        synchronized (this) {
            for (int c : consumers) arrive(it, c, ready);
        }
    }

    private void arrive(Iteration it, int consumer, Ready ready) {
        if (--it.pending[consumer] > 0) return;
        Instruction i = it.program.instructions()[consumer];
        RegionRun r = it.regions[it.program.regionOf()[consumer]];
        if (r.parked && r.current() == i && it.active) schedule(r, ready);
    }

    private void schedule(RegionRun r, Ready ready) {
        r.parked = false;
        if (tracer != null) r.ready = System.nanoTime();
        running++;
        if (r.isPutOff()) ready.putOff.push(r);
        else (r.waits ? ready.waiting : ready.queue).add(r);
    }

    /** An Enter has run: its value goes to the child frame's first iteration, or to all of them. */
    synchronized void enter(Iteration from, Instruction i, Tensor value, boolean constant, Ready ready) {
        FrameRun child =
                from.frame.children.computeIfAbsent(from, k -> new HashMap<>()).get(i.child);
        if (child == null) {
            child = new FrameRun(this, program.frames().get(i.child), from);
            from.frame.children.get(from).put(i.child, child);
            from.remaining++;
            newIteration(child, ready);
        }
        child.entersLeft--;
        Tensor control = value == Marks.DEAD ? Marks.DEAD : Marks.ALIVE;
        if (constant) {
            int slot = i.out[0];
            if (slot >= 0) child.constants[slot] = value;
            else drop(value);
            if (i.controlOut >= 0) child.constants[i.controlOut] = control;
            for (Iteration it = child.first; it != null; it = it.next) deliverConstant(it, i, child, ready);
        } else if (child.first == null) {
            drop(value);
        } else {
            if (i.out[0] >= 0) child.first.values[i.out[0]] = value;
            else drop(value);
            if (i.controlOut >= 0) child.first.values[i.controlOut] = control;
            for (int c : i.notify) arrive(child.first, c, ready);
        }
        if (child.entersLeft == 0) tryEnd(child, ready);
    }

    private void deliverConstant(Iteration it, Instruction i, FrameRun frame, Ready ready) {
        Tensor v = i.out[0] < 0 ? null : frame.constants[i.out[0]];
        if (v != null) it.values[i.out[0]] = v == Marks.DEAD ? v : v.retain();
        if (i.controlOut >= 0) it.values[i.controlOut] = frame.constants[i.controlOut];
        for (int c : i.notify) arrive(it, c, ready);
    }

    /** A NextIteration has run with a live value: the first one of an iteration makes the next. */
    synchronized void nextIteration(Iteration from, Instruction i, Tensor value, Ready ready) {
        FrameRun f = from.frame;
        if (value == Marks.DEAD) {
            if (from.next != null) deliverNext(from.next, i, value, ready);
            else from.deadNexts.add(i); // the loop ends here, unless another value goes on
            return;
        }
        if (from.next == null) {
            newIteration(f, ready);
            for (Instruction other : from.deadNexts) deliverNext(from.next, other, Marks.DEAD, ready);
        }
        deliverNext(from.next, i, value, ready);
    }

    private void deliverNext(Iteration to, Instruction i, Tensor value, Ready ready) {
        if (i.out[0] >= 0) to.values[i.out[0]] = value;
        else drop(value);
        for (int c : i.notify) arrive(to, c, ready);
    }

    /** An Exit has run with a live value. */
    synchronized void exit(Iteration from, Instruction i, Tensor value, Ready ready) {
        FrameRun f = from.frame;
        if (f.exited[i.exit]) {
            drop(value);
            return;
        }
        f.exited[i.exit] = true;
        deliverExit(f.parent, i, value, ready);
    }

    private void deliverExit(Iteration to, Instruction i, Tensor value, Ready ready) {
        if (i.out[0] >= 0) to.values[i.out[0]] = value;
        else drop(value);
        if (i.controlOut >= 0) to.values[i.controlOut] = value == Marks.DEAD ? value : Marks.ALIVE;
        for (int c : i.notify) arrive(to, c, ready);
    }

    private static void drop(Tensor value) {
        if (value != Marks.DEAD && value != Marks.ALIVE) value.release();
    }

    private void newIteration(FrameRun f, Ready ready) {
        Iteration it = Iteration.of(f.memory);
        it.begin(f, f.last == null ? 0 : f.last.number + 1);
        if (f.last != null) f.last.next = it;
        if (f.first == null) f.first = it;
        f.last = it;
        f.iterations++;
        for (Instruction e : f.program.constantEnters()) {
            boolean there = e.out[0] >= 0
                    ? f.constants[e.out[0]] != null
                    : e.controlOut >= 0 && f.constants[e.controlOut] != null;
            if (there) deliverConstant(it, e, f, ready);
        }
        if (it.number > 0) {
            for (Instruction e : f.program.firstEnters()) {
                if (e.out[0] >= 0) it.values[e.out[0]] = Marks.DEAD;
                if (e.controlOut >= 0) it.values[e.controlOut] = Marks.DEAD;
                for (int c : e.notifyOnce) arrive(it, c, ready);
            }
        }
        if (it.regions.length == 0) {
            it.remaining = 1;
            f.activeIterations++;
            childEnded(it, ready);
            return;
        }
        activate(f, ready);
    }

    private void activate(FrameRun f, Ready ready) {
        for (Iteration it = f.first; it != null && f.activeIterations < f.program.parallelIterations(); it = it.next) {
            if (it.active) continue;
            it.active = true;
            f.activeIterations++;
            for (RegionRun r : it.regions) if (r.parked && it.pending[r.current().index] == 0) schedule(r, ready);
        }
    }

    /** A region has run its last instruction. */
    synchronized void regionEnded(Iteration it, Ready ready) {
        childEnded(it, ready);
    }

    private void childEnded(Iteration it, Ready ready) {
        if (--it.remaining > 0) return;
        FrameRun f = it.frame;
        f.children.remove(it);
        f.iterations--;
        f.activeIterations--;
        unlink(f, it);
        it.clear();
        it.memory.keep(it, scope.depth());
        activate(f, ready);
        tryEnd(f, ready);
    }

    private static void unlink(FrameRun f, Iteration it) {
        if (f.first == it) {
            f.first = it.next;
            if (f.first == null) f.last = null;
            return;
        }
        Iteration p = f.first;
        while (p.next != it) p = p.next;
        p.next = it.next;
        if (f.last == it) f.last = p;
    }

    private void tryEnd(FrameRun f, Ready ready) {
        if (f.ended || f.iterations > 0 || f.entersLeft > 0) return;
        f.ended = true;
        for (Tensor t : f.constants) if (t != null) drop(t);
        if (f.parent == null) {
            rootEnded = true;
            return;
        }
        for (Instruction e : f.program.exits()) if (!f.exited[e.exit]) deliverExit(f.parent, e, Marks.DEAD, ready);
        childEnded(f.parent, ready);
    }

    /** Has the step end at the next instruction that does more than hand values on. */
    synchronized void cancel(OxbowException reason) {
        if (stop == null) stop = reason;
    }

    /** Whether a step that is to stop does so before this instruction, which may be dead and then does nothing. */
    boolean stopsAt(Instruction i, Iteration it, boolean dead) {
        synchronized (this) {
            if (failed) return true;
        }
        if (i.handsOn || dead) return false;
        fail(stopped(i.node, it, stop));
        return true;
    }

    /** Fails at a node; an error of another kind that comes after a cancellation is taken for its consequence. */
    void fail(Node n, Iteration it, Throwable e) {
        OxbowException cancelled = stop, error = Failures.at(n, e);
        boolean own = cancelled == null || cancelled.code() == error.code();
        fail(own ? error : stopped(n, it, cancelled));
    }

    /** Why the step ends before this node: the reason, and where it was. */
    private OxbowException stopped(Node n, Iteration it, OxbowException reason) {
        if (reason.node() != null) return reason; // what failed elsewhere in the run
        StringBuilder where = new StringBuilder(reason.text());
        if (it.frame.parent != null)
            where.append(", in iteration %d of loop '%s'".formatted(it.number, it.program.name()));
        if (scope.depth().calls() > 0)
            where.append(", in function %s, %d calls deep"
                    .formatted(scope.depth().function(), scope.depth().calls()));
        return Failures.at(n, reason.saying(where.toString()));
    }

    /** Records the first error, and ends every wait of the run. */
    void fail(OxbowException e) {
        synchronized (this) {
            if (failed) return;
            failed = true;
            stop = e;
        }
        context.cancellation().cancel(e);
        context.rendezvous().end(e);
    }

    /** One queued, running or deferred region less; the last one ends the step. */
    void release() {
        OxbowException error;
        synchronized (this) {
            if (--running > 0) return;
            if (!failed && !rootEnded) {
                failed = true;
                stop = new OxbowException(
                        INVALID_ARGUMENT,
                        "the step ended with nodes that never ran, since their branches or"
                                + " loops do not fit together: " + stuck());
            }
            error = failed ? stop : null;
            if (root != null && !root.ended) clear(root);
        }
        if (error != null) for (Tensor t : results) if (t != null) t.release();
        then.accept(error == null ? results : null, error);
    }

    private void clear(FrameRun f) {
        f.ended = true;
        for (Map<Integer, FrameRun> m : f.children.values())
            for (FrameRun child : m.values()) if (!child.ended) clear(child); // else it has given back all that it held
        f.children.clear();
        for (Tensor t : f.constants) if (t != null) drop(t);
        for (Iteration it = f.first; it != null; ) {
            Iteration next = it.next;
            for (RegionRun r : it.regions) r.abandon();
            it.clear();
            it.memory.keep(it, scope.depth());
            it = next;
        }
    }

    private List<String> stuck() {
        List<String> names = new ArrayList<>();
        collect(root, names);
        return names;
    }

    private static void collect(FrameRun f, List<String> names) {
        for (Iteration it = f.first; it != null && names.size() < 5; it = it.next) {
            for (RegionRun r : it.regions)
                if (r.parked && names.size() < 5) names.add(r.current().node.name());
        }
        for (var m : f.children.values()) m.values().forEach(c -> collect(c, names));
    }
}
