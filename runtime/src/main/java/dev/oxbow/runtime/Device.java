package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.RowGroups;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where nodes run: memory, threads, kernels and the resources that live there. */
public interface Device {
    DeviceSpec spec();

    /** The full name, such as {@code /job:localhost/replica:0/task:0/device:CPU:0}. */
    default String name() {
        return spec().name();
    }

    MemoryPool memory();

    /** Where its memory lies. */
    default Space space() {
        return memory().space();
    }

    /** The order in which it does what kernels return before; null where they have done it when they return. */
    default Order order() {
        return null;
    }

    Parallel parallel();

    /**
     * Memory of the host that its order reaches, for values that wait long; {@code work}, as ops count it, is about what it does
     * while one byte goes there.
     */
    record Parking(MemoryPool memory, double work) {}

    /** Where values that wait long may be parked; null where there is no such place. */
    default Parking parking() {
        return null;
    }

    /** Whether kernels may complete after they have returned. */
    default boolean defers() {
        return false;
    }

    /** Whether an op may be placed here; one of the core may where it is wished for. */
    default boolean supports(Op op) {
        return true;
    }

    /** The kernel of an op here; null where there is none, so that the host computes it between two copies. */
    Kernel kernel(Op op);

    /** Whether the kernel of an op reads this input on the host, so that a value of the host may come as it is. */
    default boolean takesOnHost(Op op, int input) {
        return kernel(op) == null;
    }

    /** Stages of compilation that suit its kernels, after folding, before the shapes of fed values are known. */
    default List<Rewrite> rewrites() {
        List<Rewrite> all = new ArrayList<>(OpRegistry.get().rewrites());
        all.add(new RowGroups());
        return all;
    }

    /** Those that come last. */
    default List<Rewrite> lastRewrites() {
        return List.of(new Absorb());
    }

    /** How large a fused kernel may be: nodes of its expressions, instructions, inputs; and whether kernels that feed one become one. */
    record Fusing(int nodes, int members, int inputs, boolean merges) {}

    /** The default stays below the size at which the JIT compiler gives up. */
    default Fusing fusing() {
        return new Fusing(120, 32, 16, false);
    }

    /** Whether formulas may be those of rows, with folds of a row among their values. */
    default boolean fusesRows() {
        return false;
    }

    /** The kernel of a fused formula here; null as for ops. */
    default Kernel fused(Formula f) {
        return space() == Space.HOST ? f.onHost() : null;
    }

    /** What was done so far in numbers, such as kernels, graphs and bytes to the host, by name; for reports. */
    default Map<String, Long> counts() {
        return Map.of();
    }

    /** A value that another device or the client made, where kernels find it here: itself or a copy, for its reference. */
    default Tensor adopt(Tensor t) {
        if (t.isIn(space()) || parking() != null && t.isIn(parking().memory().space())) return t;
        try {
            return t.in(memory(), "values from elsewhere");
        } finally {
            t.release();
        }
    }

    /** Variables, queues and tables of this device. */
    Containers containers();
}
