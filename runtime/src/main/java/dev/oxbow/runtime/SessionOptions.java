package dev.oxbow.runtime;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** How a session runs: devices, threads, memory, passes, checks. Immutable; start from {@link #defaults}. */
public record SessionOptions(
        int cpuDevices,
        int threads,
        long memoryBudgetInBytes,
        boolean optimise,
        boolean plans,
        boolean checkNumerics,
        Duration timeout,
        int callDepth,
        Placement placement,
        Map<Class<?>, Object> services) {

    private static final int DEFAULT_CALL_DEPTH = 100_000;

    /** Chooses a device by number for nodes without a wish; for tests of placement. */
    @FunctionalInterface
    public interface Placement {
        int device(String node, int devices);
    }

    /** One CPU device, {@code OXBOW_THREADS} threads or one for each core, no memory limit, all passes, no deadline. */
    public static SessionOptions defaults() {
        return new SessionOptions(
                1,
                defaultThreads(System.getenv("OXBOW_THREADS")),
                Long.MAX_VALUE,
                true,
                true,
                false,
                null,
                DEFAULT_CALL_DEPTH,
                (node, devices) -> 0,
                Map.of());
    }

    static int defaultThreads(String variable) {
        if (variable == null || variable.isBlank()) return Runtime.getRuntime().availableProcessors();
        OxbowException.require(
                variable.strip().matches("[1-9][0-9]{0,3}"),
                ErrorCode.INVALID_ARGUMENT,
                "session: OXBOW_THREADS must be a number from 1 to 9999, got '%s'",
                variable);
        return Integer.parseInt(variable.strip());
    }

    public SessionOptions withCpuDevices(int n) {
        return new SessionOptions(
                n,
                threads,
                memoryBudgetInBytes,
                optimise,
                plans,
                checkNumerics,
                timeout,
                callDepth,
                placement,
                services);
    }

    public SessionOptions withThreads(int n) {
        return new SessionOptions(
                cpuDevices,
                n,
                memoryBudgetInBytes,
                optimise,
                plans,
                checkNumerics,
                timeout,
                callDepth,
                placement,
                services);
    }

    /** The most off-heap memory that each device may hold. */
    public SessionOptions withMemoryBudget(long bytes) {
        return new SessionOptions(
                cpuDevices, threads, bytes, optimise, plans, checkNumerics, timeout, callDepth, placement, services);
    }

    /** Whether constants are folded, duplicates merged and elementwise chains fused. */
    public SessionOptions withOptimise(boolean on) {
        return new SessionOptions(
                cpuDevices,
                threads,
                memoryBudgetInBytes,
                on,
                plans,
                checkNumerics,
                timeout,
                callDepth,
                placement,
                services);
    }

    /** Whether runs after the first follow a plan: kernels bound to places in one block of memory. */
    public SessionOptions withPlans(boolean on) {
        return new SessionOptions(
                cpuDevices,
                threads,
                memoryBudgetInBytes,
                optimise,
                on,
                checkNumerics,
                timeout,
                callDepth,
                placement,
                services);
    }

    /** Whether every floating output is checked, so that the first NaN or infinity names its node. */
    public SessionOptions withCheckNumerics(boolean on) {
        return new SessionOptions(
                cpuDevices, threads, memoryBudgetInBytes, optimise, plans, on, timeout, callDepth, placement, services);
    }

    /** The deadline of runs that give none; null for none. */
    public SessionOptions withTimeout(Duration d) {
        return new SessionOptions(
                cpuDevices,
                threads,
                memoryBudgetInBytes,
                optimise,
                plans,
                checkNumerics,
                d,
                callDepth,
                placement,
                services);
    }

    /** How deep functions that call themselves may go; memory for each call is taken from the heap. */
    public SessionOptions withCallDepth(int calls) {
        return new SessionOptions(
                cpuDevices,
                threads,
                memoryBudgetInBytes,
                optimise,
                plans,
                checkNumerics,
                timeout,
                calls,
                placement,
                services);
    }

    public SessionOptions withPlacement(Placement p) {
        return new SessionOptions(
                cpuDevices,
                threads,
                memoryBudgetInBytes,
                optimise,
                plans,
                checkNumerics,
                timeout,
                callDepth,
                p,
                services);
    }

    /** What was given under this type, or null. */
    public <T> T service(Class<T> type) {
        return type.cast(services.get(type));
    }

    /** Gives kernels something to find by its type ({@code KernelContext.service}), such as the groups of a job. */
    public <T> SessionOptions withService(Class<T> type, T service) {
        Map<Class<?>, Object> all = new HashMap<>(services);
        all.put(type, service);
        return new SessionOptions(
                cpuDevices,
                threads,
                memoryBudgetInBytes,
                optimise,
                plans,
                checkNumerics,
                timeout,
                callDepth,
                placement,
                Map.copyOf(all));
    }
}
