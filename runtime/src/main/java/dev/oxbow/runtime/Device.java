package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;

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

    /** Variables, queues and tables of this device. */
    Containers containers();
}
