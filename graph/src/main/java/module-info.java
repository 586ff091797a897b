/** The op contract, the core ops, graphs, functions, type inference and passes. */
module dev.oxbow.graph {
    requires transitive dev.oxbow.tensor;
    requires transitive dev.oxbow.kernels;
    requires transitive dev.oxbow.wire;

    exports dev.oxbow.graph;
    exports dev.oxbow.graph.core;
    exports dev.oxbow.graph.pass;

    uses dev.oxbow.graph.OpProvider;

    provides dev.oxbow.graph.OpProvider with
            dev.oxbow.graph.core.CoreOps;
}
