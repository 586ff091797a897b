package dev.oxbow.graph.pass;

import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;

/** Drops the nodes that no root needs. */
public final class Prune implements Rewrite {

    @Override
    public String name() {
        return "prune";
    }

    @Override
    public String purpose() {
        return "drop what no root needs any more";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        boolean[] needed = Cut.needed(s);
        return Rewriter.each(s, (w, n) -> {
            if (needed[n.id()]) w.copy(n);
        });
    }
}
