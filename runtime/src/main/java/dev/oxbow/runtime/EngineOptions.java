package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.List;
import java.util.stream.LongStream;

/**
 * What an engine is made of. Immutable; start from {@link #defaults}.
 *
 * @param task the task whose devices they are: the beginning of their names
 * @param threads how many work at once, the callers of runs among them
 * @param memoryBudgets the most bytes that each CPU device may hold; the last one holds for all further devices
 */
public record EngineOptions(String task, int cpuDevices, int threads, List<Long> memoryBudgets) {
    private static final String LOCAL = "/job:localhost/replica:0/task:0";

    public EngineOptions {
        require(cpuDevices > 0, INVALID_ARGUMENT, "engine: wants at least one CPU device, got %d", cpuDevices);
        require(threads > 0, INVALID_ARGUMENT, "engine: wants at least one thread, got %d", threads);
    }

    /** One CPU device, {@code OXBOW_THREADS} threads or one for each core, no memory limit. */
    public static EngineOptions defaults() {
        int threads = defaultThreads(System.getenv("OXBOW_THREADS"));
        return new EngineOptions(LOCAL, 1, threads, List.of(Long.MAX_VALUE));
    }

    static int defaultThreads(String variable) {
        if (variable == null || variable.isBlank()) return Runtime.getRuntime().availableProcessors();
        require(
                variable.strip().matches("[1-9][0-9]{0,3}"),
                INVALID_ARGUMENT,
                "engine: OXBOW_THREADS must be a number from 1 to 9999, got '%s'",
                variable);
        return Integer.parseInt(variable.strip());
    }

    public EngineOptions withTask(String name) {
        return new EngineOptions(name, cpuDevices, threads, memoryBudgets);
    }

    public EngineOptions withCpuDevices(int n) {
        return new EngineOptions(task, n, threads, memoryBudgets);
    }

    public EngineOptions withThreads(int n) {
        return new EngineOptions(task, cpuDevices, n, memoryBudgets);
    }

    /** The most off-heap memory that each CPU device may hold: one number for all, or one for each. */
    public EngineOptions withMemoryBudget(long... bytes) {
        require(bytes.length > 0, INVALID_ARGUMENT, "engine: wants at least one memory budget, got none");
        return new EngineOptions(
                task, cpuDevices, threads, LongStream.of(bytes).boxed().toList());
    }

    long memoryBudget(int device) {
        return memoryBudgets.get(Math.min(device, memoryBudgets.size() - 1));
    }
}
