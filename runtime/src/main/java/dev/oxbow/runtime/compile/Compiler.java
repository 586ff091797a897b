package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Expand;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.JoinProducts;
import dev.oxbow.graph.pass.PoolFirst;
import dev.oxbow.graph.pass.RowGroups;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Takes a cut graph through the stages: inline, optimise, place, partition, schedule. */
public final class Compiler {
    /** One part of so many of a memory budget is not planned for. */
    public static final int MARGIN = 32;

    private Compiler() {}

    /** A program for each device that takes part, and what fitting them into a budget came to; null without one. */
    public record Compiled(List<DeviceProgram> programs, FitMemory.Report memory) {}

    /**
     * The programs for a cut graph, changed so that a step fits {@code memory} bytes, less a little for kernels' own needs;
     * {@code watcher}, if any, sees each stage's name and result.
     */
    public static Compiled compile(
            Subgraph cut,
            List<Device> devices,
            SessionOptions options,
            long memory,
            BiConsumer<String, Subgraph> watcher) {
        Stage stage = new Stage(watcher);
        try {
            return compile(cut, devices, options, memory, stage);
        } catch (OxbowException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new OxbowException(INTERNAL, "compiling failed after stage '%s': %s".formatted(stage.last, e), e);
        }
    }

    /** Passes on each stage's name and result, and knows the last. */
    private static final class Stage {
        private final BiConsumer<String, Subgraph> watcher;
        private String last = "none";

        Stage(BiConsumer<String, Subgraph> watcher) {
            this.watcher = watcher;
        }

        void ended(String name, Subgraph s) {
            last = name;
            if (watcher != null) watcher.accept(name, s);
        }
    }

    private static Compiled compile(
            Subgraph cut, List<Device> devices, SessionOptions options, long memory, Stage stage) {
        boolean fit = memory < Long.MAX_VALUE;
        Subgraph s = cut;
        stage.ended("cut", s);
        s = Inline.run(s);
        stage.ended("inline", s);
        if (options.optimise() && !fit) { // what lies in memory of others is not in the estimates of a budget
            s = Expand.run(s, options::service);
            stage.ended("expand", s);
        }
        if (options.optimise()) {
            s = JoinProducts.run(s); // before shapes of feeds are known: with a memory budget sums have the same bits
            stage.ended("join", s);
            s = PoolFirst.run(s);
            stage.ended("pool", s);
            s = RowGroups.run(Fold.run(s)); // it needs axes; before shapes of feeds are known, as above
            stage.ended("group", s);
        }
        if (fit) {
            s = Infer.run(s);
            stage.ended("infer", s);
        }
        if (options.optimise()) {
            s = Fold.run(s);
            stage.ended("fold", s);
            s = Deduplicate.run(s);
            stage.ended("deduplicate", s);
            s = Cut.prune(s);
            stage.ended("prune", s);
            s = Absorb.run(s);
            stage.ended("absorb", s);
        }
        FitMemory.Report report = null;
        if (fit) {
            long usable = Math.max(0, memory - memory / MARGIN);
            FitMemory.Result fitted = FitMemory.run(Infer.run(s), usable, Scheduler::regionNumbers);
            s = fitted.subgraph();
            report = fitted.report();
            stage.ended("memory", s);
        }
        Map<Device, Graph> parts = Partition.run(s, Placer.place(s, devices, options.placement()));
        List<DeviceProgram> programs = new ArrayList<>();
        parts.forEach((device, graph) -> programs.add(Scheduler.schedule(graph, device)));
        return new Compiled(programs, report);
    }

    /** The bytes of the variables of a graph, as far as their shapes are known. */
    public static long stateBytes(Graph graph) {
        Map<Op, Long> sizes = new HashMap<>();
        for (Node n : graph.nodes()) {
            if (n.inputCount() > 0) continue;
            for (TensorType t : n.outputs()) {
                TensorType held = t.dtype() == DType.RESOURCE && t.behind().size() == 1
                        ? t.behind().getFirst()
                        : t.isRef() ? t.deref() : null;
                if (held != null && held.isAllocatable() && !held.dtype().isObject())
                    sizes.put(n.op(), MemoryPool.blockSize(held.byteSize()));
            }
        }
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }
}
