package dev.oxbow.collective.keyed;

import java.util.Comparator;

/** Names of devices in the order of jobs, then of tasks and devices by their numbers. */
record DeviceOrder(String job, int replica, int task, String type, int number) implements Comparable<DeviceOrder> {
    private static final Comparator<DeviceOrder> ORDER = Comparator.comparing(DeviceOrder::job)
            .thenComparing(DeviceOrder::replica)
            .thenComparing(DeviceOrder::task)
            .thenComparing(DeviceOrder::type)
            .thenComparing(DeviceOrder::number);

    /** Of a full name, such as {@code /job:worker/replica:0/task:1/device:CPU:0}. */
    static DeviceOrder of(String device) {
        String job = "", type = "";
        int replica = 0, task = 0, number = 0;
        for (String part : device.split("/")) {
            String[] words = part.split(":");
            switch (words[0]) {
                case "job" -> job = words[1];
                case "replica" -> replica = Integer.parseInt(words[1]);
                case "task" -> task = Integer.parseInt(words[1]);
                case "device" -> {
                    type = words[1];
                    number = Integer.parseInt(words[2]);
                }
                default -> {}
            }
        }
        return new DeviceOrder(job, replica, task, type, number);
    }

    @Override
    public int compareTo(DeviceOrder o) {
        return ORDER.compare(this, o);
    }
}
