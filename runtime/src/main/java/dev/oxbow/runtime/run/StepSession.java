package dev.oxbow.runtime.run;

import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** What a step needs of its session. */
interface StepSession {
    /** State of (session, node), made when first asked for. */
    <T> T nodeState(String node, Supplier<T> initial);

    /** Whether every floating output is checked for NaN and infinity. */
    boolean checksNumerics();

    /** Whether regions may run by plans. */
    boolean plans();

    /** Whether chains of elementwise nodes become one kernel. */
    boolean fuses();

    /** What the session was opened with under this type, or null. */
    <T> T service(Class<T> type);

    /** Starts a function on borrowed arguments, within a step; {@code then} gets its results, which it owns, or the error. */
    void call(
            StepScope caller,
            FunctionLibrary library,
            FunctionRef function,
            List<Tensor> arguments,
            BiConsumer<List<Tensor>, Throwable> then);

    /** Starts a function on borrowed arguments in a step of its own, which nothing ends but its end; {@code then} as above. */
    void start(
            FunctionLibrary library,
            FunctionRef function,
            List<Tensor> arguments,
            BiConsumer<List<Tensor>, Throwable> then);
}
