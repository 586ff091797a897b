package dev.oxbow.benchmarks;

/** A system that runs workloads: Oxbow or one that it is compared with. */
interface Peer extends AutoCloseable {

    /** Builds the workload and sets its start values; an UnsupportedOperationException says that it has no such form. */
    Model prepare(Workload workload, Inputs inputs);

    @Override
    void close();
}
