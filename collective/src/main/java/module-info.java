/** Collective operations between the ranks of a job, and their graph ops. */
module dev.oxbow.collective {
    requires transitive dev.oxbow.net;
    requires transitive dev.oxbow.ops;
    requires org.slf4j;

    exports dev.oxbow.collective;
    exports dev.oxbow.collective.ops;
    exports dev.oxbow.collective.keyed to
            dev.oxbow.cluster,
            dev.oxbow.graph;

    provides dev.oxbow.graph.OpProvider with
            dev.oxbow.collective.keyed.KeyedOps,
            dev.oxbow.collective.ops.CollectiveOps;
}
