package dev.oxbow.testing.graph;

import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Verifier;
import java.util.ArrayList;
import java.util.List;

/** Stages of compilation, run by hand. */
public final class Passes {
    private Passes() {}

    /** The graph after these stages, each of which keeps the rules. */
    public static Subgraph run(Subgraph s, Rewrite... stages) {
        Subgraph after = s;
        for (Rewrite r : stages) {
            Subgraph before = after;
            after = r.run(before, Services.NONE);
            Verifier.check(r.name(), before, after);
        }
        return after;
    }

    /** What a budget does with a graph that runs in one region. */
    public static FitMemory.Report fit(Subgraph s, long budget) {
        List<FitMemory.Report> found = new ArrayList<>();
        new FitMemory(budget, g -> new int[g.size()], found::add).run(s, Services.NONE);
        return found.getFirst();
    }

    /** The ops of a graph by name, in order. */
    public static List<String> names(Subgraph s) {
        return s.graph().nodes().stream().map(n -> n.op().signature().name()).toList();
    }

    /** How often a graph has an op. */
    public static long count(Subgraph s, String name) {
        return names(s).stream().filter(name::equals).count();
    }
}
