package dev.oxbow.graph.pass;

import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;

/** Infers shapes again, from what is known of the arguments: the shapes of fed tensors, of a call's values. */
public final class Infer implements Rewrite {

    @Override
    public String name() {
        return "infer";
    }

    @Override
    public String purpose() {
        return "find shapes again from those of fed values";
    }

    @Override
    public Subgraph run(Subgraph s, Services services) {
        return Rewriter.each(s, Rewriter::refine);
    }
}
