package dev.oxbow.runtime;

/**
 * What placement and partition know of a device, which may be one of another task.
 *
 * @param name the full name, such as {@code /job:localhost/replica:0/task:0/device:CPU:0}
 * @param type such as {@code CPU}
 * @param incarnation another number each time the device comes to life
 * @param memoryInBytes the most that it may hold
 */
public record DeviceSpec(String name, String type, long incarnation, long memoryInBytes) {
    /** Whether it was given less memory than there is: a host's is bounded by a budget only, and a card's by itself. */
    public boolean hasBudget() {
        return type.equals("CPU") && memoryInBytes < Long.MAX_VALUE;
    }
}
