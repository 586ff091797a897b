package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;

/** One CPU device: a memory budget and a share of the process's threads. */
public final class CpuDevice implements Device {
    private final String name;
    private final MemoryPool memory;
    private final Parallel parallel;
    private final Containers containers;

    public CpuDevice(int index, long budgetInBytes, Parallel parallel, Containers containers) {
        this.name = DeviceName.local("CPU", index);
        this.memory = new MemoryPool("CPU:" + index, budgetInBytes);
        this.parallel = parallel;
        this.containers = containers;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public MemoryPool memory() {
        return memory;
    }

    @Override
    public Parallel parallel() {
        return parallel;
    }

    @Override
    public Kernel kernel(Op op) {
        return op.cpu();
    }

    @Override
    public Containers containers() {
        return containers;
    }
}
