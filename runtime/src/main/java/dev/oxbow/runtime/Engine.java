package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import java.util.ArrayList;
import java.util.List;

/** The devices, threads and containers of this process that sessions run on. */
public final class Engine implements AutoCloseable {
    private final SessionOptions options;
    private final WorkerPool pool;
    private final List<Device> devices;
    private final Containers containers = new Containers();

    public Engine(SessionOptions options) {
        this.options = options;
        this.pool = new WorkerPool("oxbow", Math.max(1, options.threads()));
        List<Device> list = new ArrayList<>();
        for (int i = 0; i < options.cpuDevices(); i++)
            list.add(new CpuDevice(i, options.memoryBudgetInBytes(), pool, containers));
        this.devices = List.copyOf(list);
    }

    /** An engine with other devices, such as those of a test. */
    public Engine(SessionOptions options, DeviceFactory factory) {
        this.options = options;
        this.pool = new WorkerPool("oxbow", Math.max(1, options.threads()));
        this.devices = List.copyOf(factory.devices(options, pool, containers));
    }

    /** Makes the devices of an engine. */
    @FunctionalInterface
    public interface DeviceFactory {
        List<Device> devices(SessionOptions options, WorkerPool pool, Containers containers);
    }

    public SessionOptions options() {
        return options;
    }

    public WorkerPool pool() {
        return pool;
    }

    public List<Device> devices() {
        return devices;
    }

    /** Closes the resources in these containers, or in all when none is named. */
    public void reset(String... names) {
        containers.reset(List.of(names));
    }

    @Override
    public void close() {
        reset();
        pool.close();
        devices.forEach(d -> d.memory().close());
    }
}
