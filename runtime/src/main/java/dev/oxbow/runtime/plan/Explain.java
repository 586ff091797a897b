package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.RunRewrite;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.compile.Compiler;
import dev.oxbow.runtime.compile.DeviceProgram;
import dev.oxbow.runtime.compile.FrameProgram;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.LocalCompiler;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.compile.Placement;
import dev.oxbow.runtime.compile.Region;
import dev.oxbow.runtime.compile.Stages;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Says in words what each stage does with a graph, without running it. */
public final class Explain implements Stages.Watcher {
    private final StringBuilder out = new StringBuilder();
    private final boolean verbose;
    private final boolean many;
    private Subgraph before;
    private long peak;

    /** What the memory budget of the device leaves for a step. */
    private long left;

    private Explain(boolean verbose, boolean many) {
        this.verbose = verbose;
        this.many = many;
    }

    /** What happens to a run of {@code graph} with these feeds, fetches and targets; verbose adds each stage's graph. */
    public static String run(
            Graph graph,
            List<Edge> feeds,
            List<Edge> fetches,
            List<Node> targets,
            List<Device> devices,
            SessionOptions options,
            boolean verbose) {
        Explain e = new Explain(verbose, devices.size() > 1);
        e.out.append("graph: %,d nodes, %,d functions%n"
                .formatted(
                        graph.size(),
                        graph.functions().definitions().size()
                                + graph.functions().made().size()));
        boolean limited = devices.stream().anyMatch(d -> d.memory().budgetInBytes() < Long.MAX_VALUE);
        RunRewrite.Made made =
                options.runRewrite() == null ? null : options.runRewrite().explained(feeds);
        List<Shape> shapes = made != null
                ? made.shapes()
                : feeds.stream().map(f -> f.type().shape()).toList();
        boolean known = limited || made != null;
        Subgraph cut =
                known ? Cut.run(graph, feeds, shapes, fetches, targets) : Cut.run(graph, feeds, fetches, targets);
        e.stage("cut", Cut.PURPOSE, cut);
        if (made != null) {
            cut = made.rewrite().run(new Inline().run(cut, options::service), options::service);
            e.stage(made.rewrite(), cut);
        }
        Compiler compiler = new Compiler(devices, options, ForeseenKernels::of);
        List<DeviceProgram> programs = made == null && options.rewrites().isEmpty()
                ? compiler.compile(cut, graph, e)
                : compiler.compile(cut, e);
        programs.forEach(e::program);
        e.out.append("%npeak memory of a step: about %,d bytes, and %,d for variables%n"
                .formatted(e.peak, LocalCompiler.stateBytes(graph)));
        return e.out.toString();
    }

    @Override
    public void stage(Rewrite r, Subgraph made) {
        stage(r.name(), r.purpose(), made);
    }

    @Override
    public void placed(Subgraph s, Placement where) {
        if (many) out.append("%nplace: gives each node a device%n".formatted()).append(where.listing(s.graph()));
    }

    @Override
    public void part(Part p) {
        if (before == p.graph()) return; // the only one
        out.append("%npart for %s: %,d nodes%n"
                .formatted(p.device().name(), p.graph().graph().size()));
        before = p.graph();
    }

    private void memory(FitMemory.Report r, long budget, long used) {
        out.append("%nbudget of %,d bytes, of which variables take %,d; a step may hold %,d%n"
                .formatted(budget, used, r.budget()));
        out.append("  peak as written         %,15d bytes%n".formatted(r.written()));
        out.append("  peak after reordering   %,15d bytes%n".formatted(r.reordered()));
        if (r.moved().values() > 0) {
            out.append("  peak after parking      %,15d bytes%n".formatted(r.parked()));
            out.append("  %,d values of %,d bytes wait on the host%n"
                    .formatted(r.moved().values(), r.moved().bytes()));
        }
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
            s.graph()
                    .listing()
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

    private void program(DeviceProgram p) {
        long budget = p.device().memory().budgetInBytes();
        left = p.memory() == null ? budget : Math.max(0, budget - p.memory().used());
        if (p.memory() != null) memory(p.memory().report(), budget, p.memory().used());
        out.append("%nprogram on %s: %,d instructions, %d frame(s)%n"
                .formatted(
                        p.device().name(),
                        p.frames().stream()
                                .mapToInt(f -> f.instructions().length)
                                .sum(),
                        p.frames().size()));
        for (FrameProgram f : p.frames()) {
            String where = f.parent() == null ? "root" : "loop '" + f.name() + "'";
            out.append("  %s: %d region(s)%n".formatted(where, f.regions().size()));
            for (Region r : f.regions()) region(f, r, p.device());
        }
    }

    private void region(FrameProgram f, Region r, Device device) {
        boolean sections = PlanCache.sections(device);
        RegionPlan plan = plan(f, r, device, sections);
        if (sections && plan.blockSize + plan.bytesOutside() > left) plan = plan(f, r, device, false);
        int[] calls = new int[RegionPlan.Kind.values().length];
        for (RegionPlan.Call c : plan.calls) calls[c.kind().ordinal()]++;
        List<Fusion> joined =
                plan.fusions.stream().filter(x -> x.members().length > 1).toList();
        out.append(
                "    region %d (%s%s): %,d instructions in %,d kernels, %,d decided at run time, %,d of them fused into %d kernels; block of %,d bytes, %,d outside of it%n"
                        .formatted(
                                r.index(),
                                r.instructions()[0],
                                r.instructions().length > 1
                                        ? " ... " + r.instructions()[r.instructions().length - 1]
                                        : "",
                                r.instructions().length,
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
        joined.forEach(x -> out.append("      fused: ")
                .append(describe(x, r.instructions()))
                .append(System.lineSeparator()));
    }

    private static RegionPlan plan(FrameProgram f, Region r, Device device, boolean sections) {
        Recording record = new Forecast(r.instructions(), null).record;
        return new Planner(f.slots(), r.instructions(), record, device, true, sections).plan();
    }

    private static String describe(Fusion f, Instruction[] region) {
        List<String> names = new ArrayList<>();
        for (int m : f.members())
            names.add(region[m].node.name() + " ("
                    + region[m].node.op().signature().name() + ")");
        return String.join(" + ", names) + " over " + f.shape();
    }
}
