package dev.oxbow.runtime.run;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The compiled programs of a session, one for each distinct (feeds, fetches, targets). */
final class ProgramCache implements MemoryPool.Holder {

    /*
     * What a program keeps between its runs (places of values, and what a device remembers of them) makes the next one cheap, so programs
     * that take turns, such as a step and an evaluation, all keep it, until an allocation would fail otherwise. Of those that ran once, such
     * as initialisers, nobody knows whether they come again: they give it back when another one runs.
     */

    /**
     * {@code shapes} are those of the fed values where programs are made for them, to fit a memory budget or by {@code
     * rewrite}; else none.
     */
    private record Key(List<Edge> feeds, List<Shape> shapes, List<Edge> fetches, List<Node> targets, Rewrite rewrite) {}

    private final Graph graph;
    private final SessionState state;
    private final SessionOptions options;

    /** Whether a device has a memory budget. */
    private final boolean budget;

    private final KeptPrograms<Key> programs;

    /** The one that ran last. */
    private volatile Program latest;

    ProgramCache(Graph graph, Engine engine, SessionState state, SessionOptions options) {
        this.graph = graph;
        this.state = state;
        this.options = options;
        this.programs = new KeptPrograms<>(options.programs());
        List<MemoryPool> limited = engine.devices().stream()
                .map(Device::memory)
                .filter(m -> m.budgetInBytes() < Long.MAX_VALUE)
                .toList();
        this.budget = !limited.isEmpty();
        limited.forEach(m -> m.addHolder(this));
    }

    /** The program of a run; {@code made} says what it is made for, or is null. */
    Program program(
            List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunRewrite.Made made) {
        List<Shape> shapes = made != null
                ? made.shapes()
                : budget ? values.stream().map(Tensor::shape).toList() : List.of();
        Rewrite rewrite = made == null ? null : made.rewrite();
        Key key = new Key(List.copyOf(feeds), shapes, List.copyOf(fetches), List.copyOf(targets), rewrite);
        Program e = programs.get(key, () -> {
            if (budget) giveBack();
            boolean known = budget || made != null;
            Subgraph cut =
                    known ? Cut.run(graph, feeds, shapes, fetches, targets) : Cut.run(graph, feeds, fetches, targets);
            if (made == null && options.rewrites().isEmpty()) return state.program(cut, graph, fetches.size());
            if (made != null) cut = rewrite.run(new Inline().run(cut, options::service), options::service);
            return state.program(cut, fetches.size()); // the rewrites of a plan have said where state is
        });
        e.want();
        if (budget && e != latest) {
            Program now = e;
            programs.forEach(p -> {
                if (p != now && !p.returns()) p.trim();
            });
        }
        latest = e;
        return e;
    }

    @Override
    public void giveBack() {
        programs.forEach(Program::trim);
    }

    Program partial(List<Edge> feeds, List<Edge> fetches, List<Node> targets) {
        return state.program(Cut.partial(graph, feeds, fetches, targets), graph, 0);
    }

    /** Frees the memory that idle programs keep. */
    void close() {
        programs.forEach(Program::close);
    }
}
