package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.Rewrite;
import dev.oxbow.graph.pass.RowGroups;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;
import java.util.ArrayList;
import java.util.List;

/** Where nodes run: memory, threads, kernels and the resources that live there. */
public interface Device {
    DeviceSpec spec();

    /** The full name, such as {@code /job:localhost/replica:0/task:0/device:CPU:0}. */
    default String name() {
        return spec().name();
    }

    MemoryPool memory();

    Parallel parallel();

    /** Whether kernels may complete after they have returned. */
    default boolean defers() {
        return false;
    }

    /** Whether it has a kernel for an op. */
    default boolean supports(Op op) {
        return true;
    }

    /** The kernel of an op here. */
    Kernel kernel(Op op);

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

    /** Variables, queues and tables of this device. */
    Containers containers();
}
