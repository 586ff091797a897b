/** Devices, sessions, placement, partition, scheduling and the executor, on one machine. */
module dev.oxbow.runtime {
    requires transitive dev.oxbow.graph;
    requires org.slf4j;

    exports dev.oxbow.runtime;
}
