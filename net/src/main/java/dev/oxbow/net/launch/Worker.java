package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.OxbowException.require;

/**
 * One life of a worker of an elastic job.
 *
 * @param slot its place among the processes of the job, which the next life of it takes over
 * @param life how many processes of the job were started before it
 * @param host where it runs
 */
public record Worker(int slot, int life, String host) {

    /** As it stands in messages: {@code slot:life:host}. */
    @Override
    public String toString() {
        return slot + ":" + life + ":" + host;
    }

    public static Worker parse(String text) {
        String[] parts = text.split(":", 3);
        require(
                parts.length == 3 && parts[0].matches("[0-9]{1,9}") && parts[1].matches("[0-9]{1,9}"),
                DATA_LOSS,
                "elastic: '%s' is no worker",
                text);
        return new Worker(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), parts[2]);
    }

    /** Such as {@code worker 2 on localhost (its 3rd process)}. */
    String describe() {
        return "worker %d on %s".formatted(slot, host);
    }
}
