package dev.oxbow.cluster;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.runtime.DeviceName;

/** One task of a cluster, in TensorFlow's words {@code /job:worker/replica:0/task:1}. */
public record TaskName(String job, int task) {
    private static final String JOB = "[A-Za-z][A-Za-z0-9_]*";

    public TaskName {
        require(
                job.matches(JOB),
                INVALID_ARGUMENT,
                "cluster: a job is a letter, then letters, digits or _, got '%s'",
                job);
        require(task >= 0, INVALID_ARGUMENT, "cluster: a task is a number from 0, got %d of job %s", task, job);
    }

    /** The task of a device with a full name. */
    public static TaskName ofDevice(String device) {
        DeviceName d = DeviceName.parse(device);
        require(
                d.job() != null && d.task() != null,
                INVALID_ARGUMENT,
                "cluster: the name of a device has a job and a task, got '%s'",
                device);
        return new TaskName(d.job(), d.task());
    }

    /** Whether a device with a full name is one of this task. */
    public boolean owns(String device) {
        String name = toString();
        return device.startsWith(name) && device.startsWith("/", name.length());
    }

    @Override
    public String toString() {
        return "/job:" + job + "/replica:0/task:" + task;
    }
}
