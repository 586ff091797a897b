package dev.oxbow.graph;

import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;

/** Runs a function of the library as part of a step, for ops that cannot be inlined. */
public interface FunctionCaller {
    /** Where it looks functions up: that of the node's graph. */
    FunctionLibrary library();

    /** Calls functions of another library in the same step, for values that bring functions from steps before. */
    FunctionCaller of(FunctionLibrary library);

    /**
     * Calls functions in steps of their own: each goes on when the step that began it fails, is cancelled or ends, and the
     * session's memory stays until then. {@code then} may be called on any thread.
     */
    FunctionCaller detached();

    /**
     * Starts {@code function} on borrowed arguments; {@code then} gets its results, which it owns, or the error, once. No
     * thread waits, and no stack grows: a call made by {@code then} starts after {@code then} has returned.
     */
    void call(FunctionRef function, List<Tensor> arguments, BiConsumer<List<Tensor>, Throwable> then);
}
