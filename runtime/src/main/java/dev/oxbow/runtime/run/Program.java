package dev.oxbow.runtime.run;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Containers;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.runtime.compile.DeviceProgram;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import jdk.jfr.FlightRecorder;

/** Everything that one kind of run executes: one program for each device that takes part. */
public final class Program implements AutoCloseable {
    private final List<ProgramMemory> programs;
    private final int results;
    private final StepTurns turns;

    /** Whether it has been wanted more than once, so that it may be again. */
    private volatile boolean returns;

    private volatile boolean wanted;

    Program(List<ProgramMemory> programs, int results, StepTurns turns) {
        this.programs = programs;
        this.results = results;
        this.turns = turns;
    }

    static Program of(List<DeviceProgram> programs, int results, StepTurns turns) {
        return new Program(programs.stream().map(ProgramMemory::of).toList(), results, turns);
    }

    StepTurns turns() {
        return turns;
    }

    /** Frees the memory that the programs keep between steps. */
    @Override
    public void close() {
        programs.forEach(p -> p.frames().forEach(FrameMemory::close));
    }

    /** Notes that a run wants it. */
    void want() {
        if (returns) return;
        returns = wanted;
        wanted = true;
    }

    boolean returns() {
        return returns;
    }

    /** Frees what the programs keep for their next step, as far as they do not run now. */
    void trim() {
        programs.forEach(p -> p.frames().forEach(FrameMemory::trim));
    }

    /**
     * Starts a step when its turn has come, whose regions go on in {@code executor}; {@code then} gets its results, which
     * it owns, or its error, once, when all programs have ended.
     */
    public void start(
            StepContext context,
            Tensor[] arguments,
            SessionState session,
            Executor executor,
            BiConsumer<Tensor[], OxbowException> then) {
        // the recorder's classes take a fifth of a short program's start: only who records loads them
        StepEvent event = FlightRecorder.isInitialized() ? StepEvent.begun() : null;
        StepContext watched = TracedRendezvous.in(event == null ? context : event.watches(context));
        BiConsumer<Tensor[], OxbowException> ended = event == null ? then : event.ending(watched, then);
        turns.take(watched.id(), watched.key(), watched.cancellation(), executor, refusal -> {
            if (refusal == null) {
                begin(
                        new StepScope(watched, new Containers(), session.steps(), executor, Calls.Depth.NONE),
                        arguments,
                        ended);
                return;
            }
            OxbowException error = Failures.of(refusal);
            watched.rendezvous().end(error);
            ended.accept(null, error);
        });
    }

    private void begin(StepScope scope, Tensor[] arguments, BiConsumer<Tensor[], OxbowException> then) {
        run(scope, arguments, (results, error) -> {
            scope.context().rendezvous().end(null);
            scope.containers().reset(List.of());
            turns.leave(scope.context().id(), error);
            then.accept(results, explained(error));
        });
    }

    /** Says of a failure for want of memory what the least was that the step was estimated to need. */
    private OxbowException explained(OxbowException e) {
        if (e == null || e.code() != ErrorCode.RESOURCE_EXHAUSTED) return e;
        for (ProgramMemory p : programs) {
            if (p.fitted() == null || p.fitted().report().fits()) continue;
            String more =
                    (" the least that this step was estimated to need, reordered and with %,d values computed twice, "
                                    + "is %,d bytes beyond what was in use before")
                            .formatted(
                                    p.fitted().report().copies(),
                                    p.fitted().report().recomputed());
            return e.saying(e.text() + ";" + more);
        }
        return e;
    }

    /** Starts the programs, at once or, when called within a step, as soon as this thread has nothing else to do for it. */
    void run(StepScope scope, Tensor[] arguments, BiConsumer<Tensor[], OxbowException> then) {
        if (programs.isEmpty()) { // nothing was asked for
            then.accept(new Tensor[results], null);
            return;
        }
        Join join = new Join(programs.size(), results, then);
        List<DeviceStep> steps = programs.stream()
                .map(p -> new DeviceStep(p, scope, arguments, results, join))
                .toList();
        Cancellation cancellation = scope.context().cancellation();
        long wait = cancellation.register(reason -> steps.forEach(s -> s.cancel(reason)));
        join.whenDone = () -> cancellation.unregister(wait);
        if (wait < 0) steps.forEach(s -> s.cancel(cancellation.reason()));
        for (int i = 1; i < steps.size(); i++) {
            DeviceStep s = steps.get(i);
            scope.executor().execute(s::start);
        }
        Ready here = scope.depth() == Calls.Depth.NONE ? null : Ready.current();
        if (here == null) steps.get(0).start();
        else here.call(steps.get(0));
    }

    /** Collects the ends of the programs: the results of all, or the first error. */
    private static final class Join implements BiConsumer<Tensor[], OxbowException> {
        private final AtomicInteger left;
        private final Tensor[] all;
        private final BiConsumer<Tensor[], OxbowException> then;
        private OxbowException error;
        private Runnable whenDone;

        Join(int programs, int results, BiConsumer<Tensor[], OxbowException> then) {
            this.left = new AtomicInteger(programs);
            this.all = new Tensor[results];
            this.then = then;
        }

        @Override
        public void accept(Tensor[] results, OxbowException e) {
            synchronized (this) {
                if (error == null) error = e;
                if (results != null)
                    for (int i = 0; i < results.length; i++) if (results[i] != null) all[i] = results[i];
            }
            if (left.decrementAndGet() > 0) return;
            whenDone.run();
            if (error == null) then.accept(all, null);
            else {
                for (Tensor t : all) if (t != null) t.release();
                then.accept(null, error);
            }
        }
    }
}
