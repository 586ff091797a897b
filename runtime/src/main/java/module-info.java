/** Devices, sessions, placement, partition, scheduling and the executor, on one machine. */
module dev.oxbow.runtime {
    requires transitive dev.oxbow.graph;

    exports dev.oxbow.runtime;
}
