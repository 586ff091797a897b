package dev.oxbow.runtime;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.GraphExporter;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Says in words what each stage does with a graph, without running it. */
public final class Explain {
    private final StringBuilder out = new StringBuilder();
    private final boolean verbose;
    private Subgraph before;
    private long peak;

    /** What a memory budget leaves for a step. */
    private long left;

    private Explain(boolean verbose) {
        this.verbose = verbose;
    }

    /** Nodes that nobody reads, as things to fetch (with their outputs) or run (without). */
    public static List<Node> sinks(Graph graph) {
        Set<Node> read = new HashSet<>();
        for (Node n : graph.nodes()) {
            for (Edge e : n.inputs()) if (e != null) read.add(e.node());
            read.addAll(n.controls());
        }
        return graph.nodes().stream().filter(n -> !read.contains(n)).toList();
    }

    /** What happens to a run of {@code graph} with these feeds, fetches and targets; verbose adds each stage's graph. */
    public static String run(
            Graph graph,
            List<Edge> feeds,
            List<Edge> fetches,
            List<Node> targets,
            SessionOptions options,
            boolean verbose) {
        Explain e = new Explain(verbose);
        e.out.append("graph: %,d nodes, %,d functions%n"
                .formatted(
                        graph.size(),
                        graph.functions().definitions().size()
                                + graph.functions().made().size()));
        long budget = options.memoryBudgetInBytes(), state = Compiler.stateBytes(graph);
        List<Shape> shapes = feeds.stream().map(f -> f.type().shape()).toList();
        try (Engine engine = new Engine(options)) {
            boolean limited = budget < Long.MAX_VALUE;
            Subgraph cut =
                    limited ? Cut.run(graph, feeds, shapes, fetches, targets) : Cut.run(graph, feeds, fetches, targets);
            e.left = limited ? Math.max(0, budget - state) : budget;
            e.stage("cut", Cut.PURPOSE, cut);
            Execution x =
                    Compiler.compile(cut, fetches.size(), engine, e.left, (r, s) -> e.stage(r.name(), r.purpose(), s));
            if (x.memory() != null) e.memory(x.memory(), budget, state);
            x.programs().forEach(e::program);
            e.out.append("%npeak memory of a step: about %,d bytes, and %,d for variables%n".formatted(e.peak, state));
        }
        return e.out.toString();
    }

    private void memory(FitMemory.Report r, long budget, long state) {
        out.append("%nbudget of %,d bytes, of which variables take %,d; a step may hold %,d%n"
                .formatted(budget, state, r.budget()));
        out.append("  peak as written         %,15d bytes%n".formatted(r.written()));
        out.append("  peak after reordering   %,15d bytes%n".formatted(r.reordered()));
        out.append("  peak after recomputing  %,15d bytes%n".formatted(r.recomputed()));
        out.append("  saves %,d bytes; %,d nodes are computed twice, which adds %.1f %% to the step's work%n"
                .formatted(r.written() - r.recomputed(), r.copies(), 100 * r.workAdded()));
        if (!r.fits()) out.append("  the budget is too small by %,d bytes%n".formatted(r.recomputed() - r.budget()));
        if (r.unknown() > 0)
            out.append("  %,d values have no known size: they count as nothing and are never computed twice%n"
                    .formatted(r.unknown()));
    }

    private void stage(String name, String purpose, Subgraph s) {
        out.append("%n%s: %s%n".formatted(name, purpose));
        if (before == null)
            out.append("  %,d nodes are needed%n".formatted(s.graph().size()));
        else if (before == s) out.append("  nothing to do%n".formatted());
        else changes(before.graph(), s.graph());
        if (verbose)
            GraphExporter.text(s.graph())
                    .lines()
                    .forEach(l -> out.append("    ").append(l).append(System.lineSeparator()));
        before = s;
    }

    private void changes(Graph from, Graph to) {
        out.append("  %,d -> %,d nodes%n".formatted(from.size(), to.size()));
        Map<String, int[]> counts = new TreeMap<>();
        for (Node n : from.nodes()) counts.computeIfAbsent(n.op().signature().name(), k -> new int[2])[0]++;
        for (Node n : to.nodes()) counts.computeIfAbsent(n.op().signature().name(), k -> new int[2])[1]++;
        counts.forEach((op, c) -> {
            if (c[0] != c[1]) out.append("  %-28s %6d -> %d%n".formatted(op, c[0], c[1]));
        });
    }

    private void program(Program p) {
        out.append("%nprogram on %s: %,d instructions, %d frame(s)%n"
                .formatted(p.device().name(), p.instructions(), p.frames().size()));
        for (FrameProgram f : p.frames()) {
            String where = f.parent == null ? "root" : "loop '" + f.name + "'";
            out.append("  %s: %d region(s)%n".formatted(where, f.regions.size()));
            for (FrameProgram.Region r : f.regions) region(f, r);
        }
    }

    private void region(FrameProgram f, FrameProgram.Region r) {
        RegionPlan plan = plan(f, r, true);
        if (plan.blockSize + plan.bytesOutside() > left) plan = plan(f, r, false);
        int[] calls = new int[RegionPlan.Kind.values().length];
        for (RegionPlan.Call c : plan.calls) calls[c.kind().ordinal()]++;
        List<Fusion> joined =
                plan.fusions.stream().filter(x -> x.members().length > 1).toList();
        out.append(
                "    region %d (%s%s): %,d instructions in %,d kernels, %,d decided at run time, %,d of them fused into %d kernels; block of %,d bytes, %,d outside of it%n"
                        .formatted(
                                r.index,
                                r.instructions[0],
                                r.instructions.length > 1 ? " ... " + r.instructions[r.instructions.length - 1] : "",
                                r.instructions.length,
                                calls[RegionPlan.Kind.KERNEL.ordinal()],
                                calls[RegionPlan.Kind.GENERAL.ordinal()],
                                joined.stream()
                                        .mapToInt(x -> x.members().length)
                                        .sum(),
                                joined.size(),
                                plan.blockSize,
                                plan.bytesOutside()));
        peak += plan.blockSize + plan.bytesOutside();
        for (Sections.Section x : plan.sections) {
            if (x.units().size() < 2) continue;
            String cut = x.blocks() == 0 ? "side by side: %d calls%n" : "chain: %d calls, in %d blocks of rows%n";
            out.append("      ").append(cut.formatted(x.units().size(), x.blocks()));
        }
        joined.forEach(x ->
                out.append("      fused: ").append(describe(x, r.instructions)).append(System.lineSeparator()));
    }

    private static RegionPlan plan(FrameProgram f, FrameProgram.Region r, boolean sections) {
        return new Planner(f, r.instructions, new Forecast(r.instructions, null).record, true, sections).plan();
    }

    private static String describe(Fusion f, Instruction[] region) {
        List<String> names = new ArrayList<>();
        for (int m : f.members())
            names.add(region[m].node.name() + " ("
                    + region[m].node.op().signature().name() + ")");
        return String.join(" + ", names) + " over " + f.shape();
    }
}
