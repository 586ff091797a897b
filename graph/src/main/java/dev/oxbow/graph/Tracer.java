package dev.oxbow.graph;

import java.util.List;

/** Sees what a step does, where somebody asked for it. Called by many threads at once. */
@FunctionalInterface
public interface Tracer {

    /**
     * Something has been done on a device, for these nodes: one, those of a fused kernel, or all of a chain that threads
     * took through by blocks of rows. Times are those of {@link System#nanoTime}; those of a wait end with what it waited
     * for.
     */
    void done(String device, List<Node> nodes, long from, long to);
}
