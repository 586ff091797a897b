package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionCaller;
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
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The compiled programs of a session, one for each distinct (feeds, fetches, targets), and its per-node state. */
final class ProgramCache implements SessionState {
    /** {@code shapes} are those of the fed values where programs are made to fit a memory budget; else none. */
    private record Key(List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets) {}

    /** How many calls deeper the heap is looked at again. */
    private static final int HEAP_CHECK = 1 << 10;

    private final Graph graph;
    private final Engine engine;
    private final SessionOptions options;
    private final Compiler compiler;

    /** Whether a device has a memory budget. */
    private final boolean budget;

    private final KeptPrograms<Key> programs;

    /** The one that ran last: under a budget, the others do not keep memory while it runs. */
    private volatile Program latest;

    private final KeptPrograms<FunctionRef> functions = new KeptPrograms<>(Integer.MAX_VALUE);
    private final Map<String, Object> nodeStates = new ConcurrentHashMap<>();

    ProgramCache(Graph graph, Engine engine, SessionOptions options) {
        this.graph = graph;
        this.engine = engine;
        this.options = options;
        this.programs = new KeptPrograms<>(options.programs());
        this.compiler = new Compiler(engine.devices(), options);
        this.budget = engine.devices().stream().anyMatch(d -> d.memory().budgetInBytes() < Long.MAX_VALUE);
    }

    Program program(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets) {
        List<Shape> shapes = budget ? values.stream().map(Tensor::shape).toList() : List.of();
        Key key = new Key(List.copyOf(feeds), shapes, List.copyOf(fetches), List.copyOf(targets));
        Program e = programs.get(key, () -> {
            if (budget) programs.forEach(Program::trim);
            return program(
                    budget ? Cut.run(graph, feeds, shapes, fetches, targets) : Cut.run(graph, feeds, fetches, targets),
                    fetches.size());
        });
        if (budget && e != latest) {
            Program now = e;
            programs.forEach(p -> {
                if (p != now) p.trim();
            });
        }
        latest = e;
        return e;
    }

    private Program program(Subgraph cut, int results) {
        List<DeviceProgram> programs = compiler.compile(cut, null);
        for (DeviceProgram p : programs)
            if (p.memory() != null) checkMemory(p.device().memory(), p.memory());
        return Program.of(programs, results, StepTurns.of(cut.graph(), options::service));
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

    Program partial(List<Edge> feeds, List<Edge> fetches, List<Node> targets) {
        return program(Cut.partial(graph, feeds, fetches, targets), 0);
    }

    private Program function(FunctionRef ref) {
        return functions.get(ref, () -> {
            Function f = graph.functions().get(ref);
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

    @Override
    public Executor executor() {
        return engine.width();
    }

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

    /** Frees the memory that idle programs keep. */
    void close() {
        programs.forEach(Program::close);
        functions.forEach(Program::close);
    }

    @Override
    public FunctionCaller functionCaller(DeviceStep step) {
        return (ref, arguments, then) -> {
            try {
                call(step, ref, arguments.toArray(Tensor[]::new), then);
            } catch (Throwable e) {
                then.accept(null, e);
            }
        };
    }

    private void call(DeviceStep step, FunctionRef ref, Tensor[] arguments, BiConsumer<List<Tensor>, Throwable> then) {
        Calls.Depth depth = new Calls.Depth(ref, step.scope.depth().calls() + 1);
        checkDepth(depth);
        StepScope scope = step.scope.called(depth);
        function(ref).run(scope, arguments, (results, error) -> {
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
