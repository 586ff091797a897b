package dev.oxbow.interop;

import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceProvider;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Width;
import dev.oxbow.testing.QueueDevice;
import java.util.List;

/** Gives the engines that a test wishes it for a device with memory and a queue of its own, beside their CPU. */
public final class ExtraDevices implements DeviceProvider {
    private static List<QueueDevice> wished;

    /** Has engines get such a device, which is added to the list, until {@link #none}. */
    static synchronized void into(List<QueueDevice> devices) {
        wished = devices;
    }

    static synchronized void none() {
        wished = null;
    }

    @Override
    public List<Device> devices(EngineOptions options, Width parallel) {
        synchronized (ExtraDevices.class) {
            if (wished == null) return List.of();
            QueueDevice extra = new QueueDevice(new CpuDevice(options.task(), 1, Long.MAX_VALUE, parallel));
            wished.add(extra);
            return List.of(extra);
        }
    }
}
