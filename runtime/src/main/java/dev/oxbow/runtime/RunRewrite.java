package dev.oxbow.runtime;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * A stage of compilation that differs from run to run, such as that of a plan by which several processes share a batch
 * out: what a process feeds is then a piece of the value that the graph speaks of. Thread-safe.
 */
public interface RunRewrite extends AutoCloseable {

    /** What a run with these fed values needs; asked once for each run, on its thread. It may wait for other processes. */
    Made make(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions options);

    /** As {@link #make}, without a run: unknown numbers of rows are taken to be few. Nobody is waited for. */
    Made explained(List<Edge> feeds);

    /** A run for which something was made, or was to be made, has ended, with this error or null; on its thread. */
    void ended(RunOptions options, Throwable error);

    /** The session is closed. */
    @Override
    void close();

    /**
     * What a program is made for.
     *
     * @param shapes of the values that the graph speaks of, one for each feed
     * @param rewrite turns the inlined graph on values of these shapes into one on the fed pieces; equal ones make equal
     *     programs
     */
    record Made(List<Shape> shapes, Rewrite rewrite) {}
}
