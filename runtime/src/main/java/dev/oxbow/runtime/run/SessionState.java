package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.compile.Compiler;
import dev.oxbow.runtime.compile.DeviceProgram;
import dev.oxbow.runtime.compile.Part;
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
    private final Compiler compiler;
    private final KeptPrograms<Called> functions = new KeptPrograms<>(Integer.MAX_VALUE);
    private final Map<String, Object> nodeStates = new ConcurrentHashMap<>();

    public SessionState(Engine engine, SessionOptions options) {
        this.executor = engine.width();
        this.options = options;
        this.compiler = new Compiler(engine.devices(), options);
    }

    /** What these parts, each for a device of this process, run as together, with so many results. */
    public Program program(List<Part> parts, int results) {
        return program(
                compiler.compile(parts), parts.stream().map(p -> p.graph().graph()).toList(), results);
    }

    Program program(Subgraph cut, int results) {
        return program(compiler.compile(cut, null), List.of(cut.graph()), results);
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

    /** The threads of the session. */
    Executor executor() {
        return executor;
    }

    /** State of (session, node), made when first asked for. */
    @SuppressWarnings("unchecked")
    <T> T nodeState(String node, Supplier<T> initial) {
        return (T) nodeStates.computeIfAbsent(node, k -> initial.get());
    }

    /** Whether every floating output is checked for NaN and infinity. */
    boolean checksNumerics() {
        return options.checkNumerics();
    }

    /** Whether regions may run by plans. */
    boolean plans() {
        return options.plans() && !checksNumerics();
    }

    /** Whether chains of elementwise nodes become one kernel. */
    boolean fuses() {
        return options.optimise();
    }

    /** What the session was opened with under this type, or null. */
    <T> T service(Class<T> type) {
        return options.service(type);
    }

    /** Frees the memory that programs of functions keep. */
    @Override
    public void close() {
        functions.forEach(Program::close);
    }

    /** Calls functions of a library within a step. */
    FunctionCaller functionCaller(DeviceStep step, FunctionLibrary library) {
        return (ref, arguments, then) -> {
            try {
                call(step, new Called(library, ref), arguments.toArray(Tensor[]::new), then);
            } catch (Throwable e) {
                then.accept(null, e);
            }
        };
    }

    private void call(DeviceStep step, Called called, Tensor[] arguments, BiConsumer<List<Tensor>, Throwable> then) {
        Calls.Depth depth = new Calls.Depth(called.function(), step.scope.depth().calls() + 1);
        checkDepth(depth);
        StepScope scope = step.scope.called(depth);
        program(called).run(scope, arguments, (results, error) -> {
            scope.context().rendezvous().end(null);
            List<Tensor> list = results == null ? null : List.of(results);
            Ready.current().giveBack(step, () -> then.accept(list, error));
        });
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
