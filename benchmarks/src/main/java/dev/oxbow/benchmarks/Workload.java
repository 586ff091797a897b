package dev.oxbow.benchmarks;

/** Something to time: one call is one step, and {@link #result} says what it computed, to be compared before timing. */
interface Workload extends AutoCloseable {
    String name();

    void step();

    /** A number that all workloads of one kind must agree on after the same steps, such as the loss. */
    double result();

    @Override
    void close();
}
