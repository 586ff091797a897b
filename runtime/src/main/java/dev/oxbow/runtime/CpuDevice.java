package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** One CPU device: a memory budget and a share of the process's threads. */
public final class CpuDevice implements Device {
    private final DeviceSpec spec;
    private final MemoryPool memory;
    private final Parallel parallel;
    private final Containers containers = new Containers();

    public CpuDevice(String task, int index, long budgetInBytes, Parallel parallel) {
        long incarnation = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        this.spec = new DeviceSpec(task + "/device:CPU:" + index, "CPU", incarnation, budgetInBytes);
        this.memory = new MemoryPool("CPU:" + index, budgetInBytes);
        this.parallel = parallel;
    }

    static List<Device> all(EngineOptions options, Width parallel) {
        return IntStream.range(0, options.cpuDevices())
                .<Device>mapToObj(i -> new CpuDevice(options.task(), i, options.memoryBudget(i), parallel))
                .toList();
    }

    @Override
    public DeviceSpec spec() {
        return spec;
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
    public boolean fusesRows() {
        return true;
    }

    @Override
    public Containers containers() {
        return containers;
    }
}
