package dev.oxbow.runtime;

import java.util.List;

/** Offers the devices of one kind; found by ServiceLoader in any module or jar. */
@FunctionalInterface
public interface DeviceProvider {
    /** The devices of this kind that are there, for an engine with these options; {@code parallel} are its threads. */
    List<Device> devices(EngineOptions options, Width parallel);

    /** The type of these devices, such as {@code GPU}. */
    default String type() {
        return "";
    }

    /** Whether they have a kernel for ops of a class, if not for all of their dtypes and attributes; needs no device. */
    default boolean has(Class<?> op) {
        return false;
    }

    /** What such devices need and what of it is there, part by part. */
    default List<Finding> findings() {
        return List.of();
    }

    /** One thing that devices need: where and what it is, or why it can not be used. */
    record Finding(String part, boolean isThere, String text) {}
}
