package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Expand;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.graph.pass.Rewrite;
import dev.oxbow.graph.pass.RowGroups;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.graph.pass.Verifier;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Takes a cut graph through the stages: inline, optimise, place, partition, schedule. */
final class Compiler {
    /** One part of so many of a memory budget is not planned for. */
    static final int MARGIN = 32;

    /** Whether the rules for graphs are looked at after every stage; for tests. */
    private static final boolean VERIFIES = Boolean.getBoolean("oxbow.verify");

    private Compiler() {}

    /** The programs for a cut graph; {@code watcher}, if any, sees each stage and its result. */
    static Execution compile(Subgraph cut, int results, Engine engine, BiConsumer<Rewrite, Subgraph> watcher) {
        return compile(cut, results, engine, Long.MAX_VALUE, watcher);
    }

    /** As above; the step is changed so that it fits {@code memory} bytes, less a little for kernels' own needs. */
    static Execution compile(
            Subgraph cut, int results, Engine engine, long memory, BiConsumer<Rewrite, Subgraph> watcher) {
        Stages stages = new Stages(watcher);
        try {
            return compile(cut, results, engine, memory, stages);
        } catch (OxbowException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new OxbowException(INTERNAL, "compiling failed after stage '%s': %s".formatted(stages.last, e), e);
        }
    }

    /** Runs stages, and knows the last. */
    private static final class Stages {
        private final BiConsumer<Rewrite, Subgraph> watcher;
        private String last = "cut";

        Stages(BiConsumer<Rewrite, Subgraph> watcher) {
            this.watcher = watcher;
        }

        Subgraph run(List<Rewrite> rewrites, Subgraph from, Services services) {
            Subgraph s = from;
            for (Rewrite r : rewrites) {
                Subgraph before = s;
                s = r.run(s, services);
                if (VERIFIES && s != before) Verifier.check(r.name(), s);
                if (watcher != null) watcher.accept(r, s);
                last = r.name();
            }
            return s;
        }
    }

    private static Execution compile(Subgraph cut, int results, Engine engine, long memory, Stages stages) {
        if (VERIFIES) Verifier.check(stages.last, cut);
        List<FitMemory.Report> reports = new ArrayList<>();
        List<Rewrite> rewrites = rewrites(engine.options().optimise(), memory, reports::add);
        Subgraph s = stages.run(rewrites, cut, engine.options()::service);
        Map<Device, Graph> parts = Partition.run(s, Placer.place(s, engine));
        List<Program> programs = new ArrayList<>();
        parts.forEach((device, graph) -> programs.add(Scheduler.schedule(graph, device)));
        return new Execution(programs, results, reports.isEmpty() ? null : reports.getLast());
    }

    /** What a cut graph goes through before it is placed. */
    private static List<Rewrite> rewrites(boolean optimise, long memory, Consumer<FitMemory.Report> report) {
        boolean fit = memory < Long.MAX_VALUE;
        List<Rewrite> all = new ArrayList<>(List.of(new Inline()));
        // what lies in memory of others is not in the estimates of a budget
        if (optimise && !fit) all.add(new Expand());
        // before shapes of feeds are known: with a memory budget sums have the same bits; groups need axes, so fold
        if (optimise) all.addAll(OpRegistry.get().rewrites());
        if (optimise) all.addAll(List.of(new Fold(), new RowGroups()));
        if (fit) all.add(new Infer());
        if (optimise) all.addAll(List.of(new Fold(), new Deduplicate(), new Prune(), new Absorb()));
        long usable = Math.max(0, memory - memory / MARGIN);
        if (fit) all.addAll(List.of(new Infer(), new FitMemory(usable, Scheduler::regionNumbers, report)));
        return all;
    }

    /** The bytes of the variables of a graph, as far as their shapes are known. */
    static long stateBytes(Graph graph) {
        Map<Op, Long> sizes = new HashMap<>();
        for (Node n : graph.nodes()) {
            if (n.inputCount() > 0) continue;
            for (TensorType t : n.outputs()) {
                TensorType held = t.dtype() == DType.RESOURCE && t.behind().size() == 1
                        ? t.behind().getFirst()
                        : t.isRef() ? t.deref() : null;
                if (held != null && held.isAllocatable() && !held.dtype().isObject())
                    sizes.put(n.op(), MemoryPool.blockSize(RegionPlan.bytes(held)));
            }
        }
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }
}
