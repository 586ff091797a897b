package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;

/** A system that runs workloads: Oxbow or one that it is compared with. */
interface Peer extends AutoCloseable {

    /** Builds the workload and sets its start values; an UnsupportedOperationException says that it has no such form. */
    Model prepare(Workload workload, Inputs inputs);

    /** Builds the graph in a folder, see {@link GraphTask}. */
    default Model graph(Path folder) throws IOException {
        throw new UnsupportedOperationException("it reads no graphs");
    }

    @Override
    void close();
}
