package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;

/**
 * The devices of a job along its {@code data} axis: those of the first process first.
 *
 * @param ranks processes
 * @param rank the number of this one
 * @param helpers the last ranks, which have no rows and only help to exchange
 * @param devices the devices that take part in each process, by the names that nodes wish for; one empty name for wherever
 *     the placer puts them
 */
public record Mesh(int ranks, int rank, int helpers, List<String> devices) {
    public Mesh {
        require(
                ranks > 0 && rank >= 0 && rank < ranks,
                INVALID_ARGUMENT,
                "Mesh: there is no rank %d of %d",
                rank,
                ranks);
        require(
                helpers >= 0 && helpers < ranks,
                INVALID_ARGUMENT,
                "Mesh: %d helpers of %d processes leave no worker",
                helpers,
                ranks);
        require(!devices.isEmpty(), INVALID_ARGUMENT, "Mesh: a process must have a device");
        devices = List.copyOf(devices);
    }

    /** Processes that have rows. */
    public int workers() {
        return ranks - helpers;
    }

    /** Whether this process only helps. */
    boolean isHelper() {
        return rank >= workers();
    }

    /** The rows of this process in a batch of which all workers have even shares. */
    Rows share(long total) {
        return isHelper() ? new Rows(total, 0, total) : Rows.share(total, rank, workers());
    }

    /** The name of the axis that batches are shared out along. */
    public static String data() {
        return "data";
    }

    /** How many devices there are along the data axis. */
    public int size() {
        return workers() * devices.size();
    }

    /** The rows that each device of this process has of a batch of which the process has these. */
    List<Rows> shares(Rows process) {
        List<Rows> all = new ArrayList<>();
        for (int d = 0; d < devices.size(); d++) all.add(process.part(d, devices.size()));
        return all;
    }
}
