package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/** Devices of this process, and its share of the threads, for sessions to run on. */
public final class Engine implements AutoCloseable {

    /** Found once: looking for providers takes as long as a small step. */
    private static final class Found {
        static final List<DeviceProvider> PROVIDERS = new ArrayList<>();

        static {
            PROVIDERS.add(CpuDevice::all);
            ServiceLoader.load(DeviceProvider.class, Engine.class.getClassLoader())
                    .forEach(PROVIDERS::add);
        }
    }

    private final EngineOptions options;
    private final Width width;
    private final List<Device> devices;

    /** An engine with CPU devices, and those of all providers that are found. */
    public Engine(EngineOptions options) {
        this(options, Found.PROVIDERS.toArray(DeviceProvider[]::new));
    }

    /** An engine with the devices of these providers alone. */
    public Engine(EngineOptions options, DeviceProvider... providers) {
        this.options = options;
        this.width = WorkerPool.ofProcess().share(options.threads());
        List<Device> all = new ArrayList<>();
        for (DeviceProvider p : providers) all.addAll(p.devices(options, width));
        this.devices = List.copyOf(all);
        Set<String> names = new HashSet<>();
        for (Device d : devices)
            require(names.add(d.name()), INVALID_ARGUMENT, "engine: there are two devices %s", d.name());
    }

    /** The types of devices that have a kernel for ops of a class, the CPU first, whether such devices are there or not. */
    public static List<String> devicesOf(Class<?> op) {
        List<String> all = new ArrayList<>(List.of("CPU"));
        for (DeviceProvider p : Found.PROVIDERS) if (p.has(op)) all.add(p.type());
        return all.stream().distinct().toList();
    }

    /** What devices of all kinds need and what of it is on this machine. */
    public static List<DeviceProvider.Finding> findings() {
        return Found.PROVIDERS.stream().flatMap(p -> p.findings().stream()).toList();
    }

    public EngineOptions options() {
        return options;
    }

    /** Its share of the threads of the process. */
    public Width width() {
        return width;
    }

    public List<Device> devices() {
        return devices;
    }

    /** Waits until the devices have done what they were given so far. */
    public void await() {
        RuntimeException first = null;
        for (Device d : devices)
            try {
                if (d.order() != null) d.order().await();
            } catch (RuntimeException e) {
                if (first == null) first = e;
                else if (e != first) first.addSuppressed(e);
            }
        if (first != null) throw first;
    }

    /** Closes the resources in these containers of all devices, or in all when none is named. */
    public void reset(String... names) {
        devices.forEach(d -> d.containers().reset(List.of(names)));
    }

    @Override
    public void close() {
        reset();
        width.close();
        for (Device d : devices) {
            d.memory().close();
            if (d.parking() != null) d.parking().memory().close();
        }
    }
}
