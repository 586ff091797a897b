package dev.oxbow.testing;

import dev.oxbow.kernels.expr.ElementwiseKernel;
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
    /** Two devices, and nodes without a wish on either by chance. */
    TWO_DEVICES;

    /** An engine of this kind, to be closed by the caller. */
    public Engine engine() {
        EngineOptions two = EngineOptions.defaults().withThreads(2);
        return switch (this) {
            case PLAIN, COMPILED, INTERPRETED, NO_PASSES -> new Engine(two);
            case ONE_THREAD -> new Engine(two.withThreads(1));
            case DELAYED ->
                new Engine(
                        two,
                        (o, width) -> List.of(new DelayedDevice(
                                new CpuDevice(o.task(), 0, Long.MAX_VALUE, width), ForkJoinPool.commonPool())));
            case TWO_DEVICES -> new Engine(two.withCpuDevices(2));
        };
    }

    /** The options of a session of this kind. */
    public SessionOptions options() {
        SessionOptions options = SessionOptions.defaults();
        return switch (this) {
            case NO_PASSES -> options.withOptimise(false).withPlans(false);
            case TWO_DEVICES -> options.withPlacement((node, n) -> Math.floorMod(node.hashCode() * 31 >> 3, n));
            case PLAIN, ONE_THREAD, COMPILED, INTERPRETED, DELAYED -> options;
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
