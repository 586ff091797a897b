package dev.oxbow.benchmarks;

/** A workload made ready in one system. */
interface Model extends AutoCloseable {

    /** One call, with its result brought back where the workload has one. */
    void step() throws Exception;

    /** Numbers that all systems must agree on: the losses of the first steps, or sums over a result. */
    double[] check() throws Exception;

    @Override
    void close();
}
