package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.runtime.compile.Compiler;
import dev.oxbow.runtime.compile.DeviceProgram;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.plan.ForeseenKernels;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** What the programs of one session share in this process: states of nodes, programs of functions, services. */
public final class SessionState implements AutoCloseable {
    private record Called(FunctionLibrary library, FunctionRef function) {}

    /** How many calls deeper the heap is looked at again. */
    private static final int HEAP_CHECK = 1 << 10;

    private final Executor executor;
    private final SessionOptions options;
    private final List<DeviceSpec> devices;
    private final Compiler compiler;
    private final KeptPrograms<Called> functions = new KeptPrograms<>(Integer.MAX_VALUE);
    private final Map<String, Object> nodeStates = new ConcurrentHashMap<>();
    private final StepSession steps = new Steps();
    /** Steps of functions for themselves that have not ended; under the monitor of the functions, as is the next. */
    private int apart;

    private boolean closed;

    public SessionState(Engine engine, SessionOptions options) {
        this(engine.devices(), engine.width(), options);
    }

    /** On devices that need not be those of an engine, with the threads of {@code executor}. */
    public SessionState(List<Device> devices, Executor executor, SessionOptions options) {
        this.executor = executor;
        this.options = options;
        this.devices = devices.stream().map(Device::spec).toList();
        this.compiler = new Compiler(devices, options, ForeseenKernels::of);
    }

    /** The devices that its programs run on. */
    public List<DeviceSpec> devices() {
        return devices;
    }

    /** What these parts, each for a device of this process, run as together, with so many results. */
    public Program program(List<Part> parts, int results) {
        return program(
                compiler.compile(parts),
                parts.stream().map(p -> p.graph().graph()).toList(),
                results);
    }

    Program program(Subgraph cut, int results) {
        return program(compiler.compile(cut, null), List.of(cut.graph()), results);
    }

    /** The program of a cut of the session's graph. */
    Program program(Subgraph cut, Graph whole, int results) {
        return program(compiler.compile(cut, whole, null), List.of(cut.graph()), results);
    }

    private Program program(List<DeviceProgram> programs, List<Graph> graphs, int results) {
        for (DeviceProgram p : programs)
            if (p.memory() != null) checkMemory(p.device().memory(), p.memory());
        return Program.of(programs, results, StepTurns.of(graphs, options::service));
    }

    /** Fails when no order of a step's nodes can do with what a device has left. */
    private static void checkMemory(MemoryPool memory, DeviceProgram.Fitted fitted) {
        FitMemory.Report r = fitted.report();
        require(
                r.least() <= Math.max(0, memory.budgetInBytes() - fitted.used()),
                RESOURCE_EXHAUSTED,
                "%s: out of memory: %s wants %,d bytes for its inputs and outputs, %,d of a budget of %,d are in use; "
                        + "the least that this step was estimated to need is %,d bytes beyond them",
                memory.name(),
                r.largest(),
                r.least(),
                fitted.used(),
                memory.budgetInBytes(),
                r.recomputed());
    }

    private Program program(Called c) {
        return functions.get(c, () -> {
            Function f = c.library().get(c.function());
            return program(subgraph(f), f.results().size());
        });
    }

    /** The body of a function as a program: arguments are fed, results fetched, effects always happen. */
    private static Subgraph subgraph(Function f) {
        List<Edge> feeds = new ArrayList<>();
        f.arguments().forEach(a -> feeds.add(a.edge(0)));
        List<Node> targets = new ArrayList<>(f.controlResults());
        for (Node n : f.body().nodes()) if (n.op().effects() == Effects.WRITES) targets.add(n);
        return Cut.run(f.body(), feeds, f.results(), targets);
    }

    /** What its steps need of it. */
    StepSession steps() {
        return steps;
    }

    /** The threads of the session. */
    Executor executor() {
        return executor;
    }

    /** Frees the memory that programs of functions keep, once the steps that they run for themselves have ended. */
    @Override
    public void close() {
        synchronized (functions) {
            closed = true;
            if (apart > 0) return;
        }
        functions.forEach(Program::close);
    }

    private void begunApart() {
        synchronized (functions) {
            apart++;
        }
    }

    private void endedApart() {
        synchronized (functions) {
            if (--apart > 0 || !closed) return;
        }
        functions.forEach(Program::close);
    }

    private final class Steps implements StepSession {
        @Override
        @SuppressWarnings("unchecked")
        public <T> T nodeState(String node, Supplier<T> initial) {
            return (T) nodeStates.computeIfAbsent(node, k -> initial.get());
        }

        @Override
        public boolean checksNumerics() {
            return options.checkNumerics();
        }

        @Override
        public boolean plans() {
            return options.plans() && !checksNumerics();
        }

        @Override
        public boolean fuses() {
            return options.optimise();
        }

        @Override
        public <T> T service(Class<T> type) {
            return options.service(type);
        }

        @Override
        public void call(
                StepScope caller,
                FunctionLibrary library,
                FunctionRef function,
                List<Tensor> arguments,
                BiConsumer<List<Tensor>, Throwable> then) {
            Calls.Depth depth = new Calls.Depth(function, caller.depth().calls() + 1);
            checkDepth(depth);
            StepScope scope = caller.called(depth);
            program(new Called(library, function)).run(scope, arguments.toArray(Tensor[]::new), (results, error) -> {
                scope.context().rendezvous().end(null);
                then.accept(results == null ? null : List.of(results), error);
            });
        }

        @Override
        public void start(
                FunctionLibrary library,
                FunctionRef function,
                List<Tensor> arguments,
                BiConsumer<List<Tensor>, Throwable> then) {
            begunApart();
            executor.execute(() -> {
                try {
                    Program p = program(new Called(library, function));
                    StepContext context = new StepContext(
                            StepContext.nextId(), null, new Cancellation(), new LocalRendezvous(), null);
                    p.start(
                            context,
                            arguments.toArray(Tensor[]::new),
                            SessionState.this,
                            executor,
                            (results, error) -> ended(then, results == null ? null : List.of(results), error));
                } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                    ended(then, null, e);
                }
            });
        }

        private void ended(BiConsumer<List<Tensor>, Throwable> then, List<Tensor> results, Throwable error) {
            try {
                then.accept(results, error);
            } finally {
                endedApart();
            }
        }
    }

    /** Refuses a call that is deeper than the session allows, or that the heap has no room for. */
    private void checkDepth(Calls.Depth depth) {
        int most = options.callDepth();
        require(
                depth.calls() <= most,
                RESOURCE_EXHAUSTED,
                "function %s: is called %,d calls deep, the limit is %,d: SessionOptions.withCallDepth sets it",
                depth.function(),
                depth.calls(),
                most);
        if (depth.calls() % HEAP_CHECK != 0 || heapIsLeft()) return;
        System.gc(); // what is in use may be garbage
        require(
                heapIsLeft(),
                RESOURCE_EXHAUSTED,
                "function %s: is called %,d calls deep, and the heap of %,d bytes is nearly full",
                depth.function(),
                depth.calls(),
                Runtime.getRuntime().maxMemory());
    }

    private static boolean heapIsLeft() {
        Runtime r = Runtime.getRuntime();
        return r.maxMemory() - r.totalMemory() + r.freeMemory() > r.maxMemory() / 8;
    }
}
