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
     * Starts {@code function} on borrowed arguments; {@code then} gets its results, which it owns, or the error, once. No
     * thread waits, and no stack grows: a call made by {@code then} starts after {@code then} has returned.
     */
    void call(FunctionRef function, List<Tensor> arguments, BiConsumer<List<Tensor>, Throwable> then);
}
