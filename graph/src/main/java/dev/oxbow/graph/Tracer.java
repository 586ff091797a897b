package dev.oxbow.graph;

import java.util.List;

/**
 * Sees what a step does, where somebody asked for it. Called by many threads at once; times are those of {@link
 * System#nanoTime}.
 */
@FunctionalInterface
public interface Tracer {

    /**
     * Something has been done on a device, for these nodes: one, those of a fused kernel, or all of a chain that threads
     * took through by blocks of rows. Times of a wait end with what it waited for. Called by the thread that has ended it.
     */
    void done(String device, List<Node> nodes, long from, long to);

    /** As above, of what could have begun at {@code ready} and stood in line for a thread. */
    default void done(String device, List<Node> nodes, long ready, long from, long to) {
        done(device, nodes, from, to);
    }

    /** A value was handed out to whoever receives it by the key. */
    default void sent(String key, long bytes, long at) {}

    /** A value has come that was waited for since {@code from}. */
    default void received(String key, long bytes, long from, long to) {}
}
