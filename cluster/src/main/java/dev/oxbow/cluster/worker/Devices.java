package dev.oxbow.cluster.worker;

import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.wire.proto.DeviceAttributes;
import java.util.List;

/** Devices to and from TensorFlow's messages. */
public final class Devices {
    /** What TensorFlow says of a device without a limit. */
    private static final long NO_LIMIT = 1L << 28;

    private Devices() {}

    public static DeviceAttributes encode(DeviceSpec d) {
        return DeviceAttributes.newBuilder()
                .setName(d.name())
                .setDeviceType(d.type())
                .setIncarnation(d.incarnation())
                .setMemoryLimit(d.memoryInBytes() == Long.MAX_VALUE ? NO_LIMIT : d.memoryInBytes())
                .build();
    }

    public static List<DeviceAttributes> encode(List<DeviceSpec> all) {
        return all.stream().map(Devices::encode).toList();
    }

    public static DeviceSpec decode(DeviceAttributes d) {
        long memory = d.getMemoryLimit() == NO_LIMIT ? Long.MAX_VALUE : d.getMemoryLimit();
        return new DeviceSpec(d.getName(), d.getDeviceType(), d.getIncarnation(), memory);
    }
}
