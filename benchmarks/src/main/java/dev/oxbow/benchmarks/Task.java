package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;

/** Something that systems are timed at. */
interface Task {

    /** Its name between processes: one word, which is also that of the folder with its data. */
    String key();

    String title();

    String unit();

    boolean isLowerBetter();

    /** The figure in this task's unit for so many calls a second. */
    double figure(double callsPerSecond);

    /** Whether a call is a step of training, whose result is the loss. */
    boolean isTraining();

    /** Writes its data under {@code folder}. */
    void write(Path folder);

    /** Builds it in a system, with the data under {@code folder}. */
    Model prepare(Peer peer, Path folder) throws IOException;

    /** The task of this key; any that is no workload's is a graph's. */
    static Task of(String key) {
        return Workload.of(key).map(Task.class::cast).orElseGet(() -> new GraphTask(key, null));
    }
}
