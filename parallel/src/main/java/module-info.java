/** Plans: from the graph of one device to that of many, and what that will bring. */
module dev.oxbow.parallel {
    requires transitive dev.oxbow.collective;
    requires transitive dev.oxbow.runtime;

    exports dev.oxbow.parallel;
    exports dev.oxbow.parallel.ops to
            dev.oxbow.graph,
            dev.oxbow.testing;
    exports dev.oxbow.parallel.planner;

    provides dev.oxbow.graph.OpProvider with
            dev.oxbow.parallel.ops.ServerOps;
}
