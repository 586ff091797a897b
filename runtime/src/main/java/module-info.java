/** Devices, sessions, placement, partition, scheduling and the executor, on one machine. */
module dev.oxbow.runtime {
    requires transitive dev.oxbow.graph;
    requires jdk.jfr;

    exports dev.oxbow.runtime;
    exports dev.oxbow.runtime.compile to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.cuda,
            dev.oxbow.parallel,
            dev.oxbow.testing;
    exports dev.oxbow.runtime.plan to
            dev.oxbow.testing;
    exports dev.oxbow.runtime.trace;
    exports dev.oxbow.runtime.run to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.cuda,
            dev.oxbow.parallel,
            dev.oxbow.testing;

    uses dev.oxbow.runtime.DeviceProvider;
    uses dev.oxbow.runtime.SessionProvider;

    provides dev.oxbow.runtime.SessionProvider with
            dev.oxbow.runtime.run.LocalSessions;
}
