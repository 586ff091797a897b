/** Transports between the ranks of a job: bytes, deadlines, liveness, authentication. Knows no tensor. */
module dev.oxbow.net {
    requires transitive dev.oxbow.tensor;
    requires org.slf4j;

    exports dev.oxbow.net;
    exports dev.oxbow.net.launch to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.examples,
            dev.oxbow.parallel,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.net.memory to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.examples,
            dev.oxbow.parallel,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.net.shm to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.examples,
            dev.oxbow.parallel,
            dev.oxbow.testing;
    exports dev.oxbow.net.sim to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.examples,
            dev.oxbow.parallel,
            dev.oxbow.testing;
    exports dev.oxbow.net.tcp to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.examples,
            dev.oxbow.parallel,
            dev.oxbow.testing;
}
