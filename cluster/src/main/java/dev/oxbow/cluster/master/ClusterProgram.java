package dev.oxbow.cluster.master;

import dev.oxbow.cluster.worker.Worker;
import java.util.List;

/**
 * What was registered for one kind of run.
 *
 * @param fetches how many values a step gives
 */
record ClusterProgram(String session, List<TaskPart> parts, int fetches) {

    /**
     * What one task does of it.
     *
     * @param feeds which of the fed values go there, under {@code feedKeys}
     * @param fetches which of the fetched values come from there, under {@code fetchKeys}
     */
    record TaskPart(
            Worker worker, String graph, int[] feeds, List<String> feedKeys, int[] fetches, List<String> fetchKeys) {}

    /** Has the workers forget it; nobody waits for that. */
    void deregister() {
        for (TaskPart p : parts) p.worker().deregister(session, p.graph(), _ -> {});
    }
}
