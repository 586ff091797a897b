package dev.oxbow.testing;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import java.util.List;
import java.util.concurrent.ForkJoinPool;

/** The ways in which every suite must give the same answers. */
public enum Setting {
    /** Two threads, all passes. */
    PLAIN,
    ONE_THREAD,
    /** No folding, no merging, no plans, no fusion. */
    NO_PASSES,
    /** Generated code for every elementwise kernel. */
    COMPILED,
    /** The interpreter for every elementwise kernel. */
    INTERPRETED,
    /** Every kernel completes later on another thread. */
    DELAYED,
    /** Memory that the host can not address, and kernels that run later, in order. */
    FOREIGN_MEMORY,
    /** The same without passes, plans and fusion. */
    FOREIGN_MEMORY_NO_PASSES,
    /** Two devices, and nodes without a wish on either by chance. */
    TWO_DEVICES,
    /** The same, one of them with memory that the host can not address, some of whose values wait on the host. */
    TWO_KINDS_OF_DEVICE;

    /** An engine of this kind, to be closed by the caller. */
    public Engine engine() {
        EngineOptions two = EngineOptions.defaults().withThreads(2);
        return switch (this) {
            case PLAIN, COMPILED, INTERPRETED, NO_PASSES -> new Engine(two);
            case ONE_THREAD -> new Engine(two.withThreads(1));
            case DELAYED ->
                new Engine(two, (o, width) -> List.of(new DelayedDevice(cpu(o, 0, width), ForkJoinPool.commonPool())));
            case FOREIGN_MEMORY, FOREIGN_MEMORY_NO_PASSES ->
                new Engine(two, (o, width) -> List.of(new QueueDevice(cpu(o, 0, width))));
            case TWO_DEVICES -> new Engine(two.withCpuDevices(2));
            case TWO_KINDS_OF_DEVICE ->
                new Engine(two, (o, width) -> List.of(cpu(o, 0, width), new QueueDevice(cpu(o, 1, width), true)));
        };
    }

    private static CpuDevice cpu(EngineOptions options, int index, Parallel parallel) {
        return new CpuDevice(options.task(), index, Long.MAX_VALUE, parallel);
    }

    /** The options of a session of this kind. */
    public SessionOptions options() {
        SessionOptions options = SessionOptions.defaults();
        return switch (this) {
            case NO_PASSES, FOREIGN_MEMORY_NO_PASSES ->
                options.withOptimise(false).withPlans(false);
            case TWO_DEVICES, TWO_KINDS_OF_DEVICE ->
                options.withPlacement((node, n) -> Math.floorMod(node.hashCode() * 31 >> 3, n));
            case PLAIN, ONE_THREAD, COMPILED, INTERPRETED, DELAYED, FOREIGN_MEMORY -> options;
        };
    }

    /** Runs {@code body} with elementwise kernels in this setting's mode. */
    public void in(Body body) throws Exception {
        ElementwiseKernel.Mode before = ElementwiseKernel.defaultMode();
        ElementwiseKernel.setDefaultMode(
                this == COMPILED
                        ? ElementwiseKernel.Mode.COMPILED
                        : this == INTERPRETED ? ElementwiseKernel.Mode.INTERPRETED : before);
        try {
            body.run();
        } finally {
            ElementwiseKernel.setDefaultMode(before);
        }
    }

    /** Something to run that may fail. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }
}
