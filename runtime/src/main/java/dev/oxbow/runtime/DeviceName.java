package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import java.util.Locale;

/** A full or partial device name: {@code /job:worker/replica:0/task:1/device:CPU:0}, {@code cpu:1}, {@code /device:CPU:0}. */
public record DeviceName(String job, Integer replica, Integer task, String type, Integer index) {

    public static DeviceName parse(String text) {
        String job = null, type = null;
        Integer replica = null, task = null, index = null;
        for (String part : text.split("/")) {
            if (part.isEmpty()) continue;
            String[] p = part.split(":");
            try {
                switch (p[0].toLowerCase(Locale.ROOT)) {
                    case "job" -> job = p[1].equals("*") ? null : p[1];
                    case "replica" -> replica = number(p[1]);
                    case "task" -> task = number(p[1]);
                    case "device" -> {
                        type = p[1].equals("*") ? null : p[1].toUpperCase(Locale.ROOT);
                        if (p.length > 2) index = number(p[2]);
                    }
                    default -> {
                        type = p[0].toUpperCase(Locale.ROOT);
                        if (p.length > 1) index = number(p[1]);
                    }
                }
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw new OxbowException(
                        INVALID_ARGUMENT, "device: '%s' is no device name (at '%s')".formatted(text, part), e);
            }
        }
        return new DeviceName(job, replica, task, type, index);
    }

    private static Integer number(String s) {
        return s.equals("*") ? null : Integer.valueOf(s);
    }

    /** Whether a full name fits this possibly partial one. */
    public boolean matches(DeviceName full) {
        return (job == null || job.equals(full.job))
                && (replica == null || replica.equals(full.replica))
                && (task == null || task.equals(full.task))
                && (type == null || type.equals(full.type))
                && (index == null || index.equals(full.index));
    }
}
