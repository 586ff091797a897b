package dev.oxbow.runtime.run;

import dev.oxbow.graph.FunctionCaller;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** What a step needs of its session. */
interface SessionState {
    /** The threads of the session. */
    Executor executor();

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

    /** Calls functions within a step. */
    FunctionCaller functionCaller(DeviceStep step);
}
