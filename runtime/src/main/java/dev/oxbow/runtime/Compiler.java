package dev.oxbow.runtime;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Subgraph;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Takes a cut graph through the stages: inline, optimise, place, partition, schedule. */
final class Compiler {
    private Compiler() {}

    /** The programs for a cut graph; {@code watcher}, if any, sees each stage's name and result. */
    static Execution compile(Subgraph cut, int results, Engine engine, BiConsumer<String, Subgraph> watcher) {
        Subgraph s = cut;
        see(watcher, "cut", s);
        s = Inline.run(s);
        see(watcher, "inline", s);
        if (engine.options().optimise()) {
            s = Fold.run(s);
            see(watcher, "fold", s);
            s = Deduplicate.run(s);
            see(watcher, "deduplicate", s);
            s = Cut.prune(s);
            see(watcher, "prune", s);
        }
        Map<Device, Graph> parts = Partition.run(s, Placer.place(s, engine));
        List<Program> programs = new ArrayList<>();
        parts.forEach((device, graph) -> programs.add(Scheduler.schedule(graph, device)));
        return new Execution(programs, results);
    }

    private static void see(BiConsumer<String, Subgraph> watcher, String stage, Subgraph s) {
        if (watcher != null) watcher.accept(stage, s);
    }
}
