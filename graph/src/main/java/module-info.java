/** The op contract, the core ops, graphs, functions, type inference and passes. */
module dev.oxbow.graph {
    requires com.google.protobuf;
    requires transitive dev.oxbow.tensor;
    requires transitive dev.oxbow.kernels;
    requires transitive dev.oxbow.wire;

    exports dev.oxbow.graph;
    exports dev.oxbow.graph.core to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.data,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.graph.file;
    exports dev.oxbow.graph.pass to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.data,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.graph.wire to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.ops,
            dev.oxbow.testing,
            dev.oxbow.train;

    uses dev.oxbow.graph.OpProvider;

    provides dev.oxbow.graph.OpProvider with
            dev.oxbow.graph.core.CoreOps;
}
