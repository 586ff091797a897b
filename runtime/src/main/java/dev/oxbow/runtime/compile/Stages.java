package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Verifier;
import dev.oxbow.tensor.OxbowException;
import java.util.List;
import java.util.function.Supplier;

/** Runs stages of compilation one after the other. */
public final class Stages {
    /** Whether the rules for graphs are looked at after every stage; for tests. */
    private static final boolean VERIFIES = Boolean.getBoolean("oxbow.verify");

    private final Services services;
    private final Watcher watcher;
    private String last = "cut";
    private Subgraph made;

    /** Sees what stages make. */
    public interface Watcher {
        /** A stage has made this graph. */
        void stage(Rewrite stage, Subgraph made);

        /** The stages that follow are those of a part. */
        void part(Part part);

        /** The nodes of this graph have got devices. */
        default void placed(Subgraph graph, Placement where) {}
    }

    /** With what a session was opened with; {@code watcher} may be null. */
    public Stages(Services services, Watcher watcher) {
        this.services = services;
        this.watcher = watcher;
    }

    Subgraph run(List<Rewrite> rewrites, Subgraph from) {
        if (VERIFIES && from != made) Verifier.check(last, from);
        Subgraph s = from;
        for (Rewrite r : rewrites) {
            Subgraph before = s;
            s = r.run(before, services);
            if (VERIFIES) Verifier.check(r.name(), before, s);
            if (watcher != null) watcher.stage(r, s);
            last = r.name();
        }
        made = s;
        return s;
    }

    void placed(Subgraph graph, Placement where) {
        if (watcher != null) watcher.placed(graph, where);
    }

    void begin(Part p) {
        last = "partition";
        if (watcher != null) watcher.part(p);
    }

    /** Names the last stage in what is no error of the user. */
    <T> T named(Supplier<T> compilation) {
        try {
            return compilation.get();
        } catch (OxbowException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new OxbowException(INTERNAL, "compiling failed after stage '%s': %s".formatted(last, e), e);
        }
    }
}
