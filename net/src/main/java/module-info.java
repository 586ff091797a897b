/** Transports between the ranks of a job: bytes, deadlines, liveness, authentication. Knows no tensor. */
module dev.oxbow.net {
    requires transitive dev.oxbow.tensor;
    requires org.slf4j;

    exports dev.oxbow.net;
    exports dev.oxbow.net.launch;
    exports dev.oxbow.net.memory;
    exports dev.oxbow.net.shm;
    exports dev.oxbow.net.sim;
    exports dev.oxbow.net.tcp;
}
