/** CPU arithmetic on bytes: expressions and their compiler, numeric kernels, movers, reductions, random numbers. Knows no graph. */
module dev.oxbow.kernels {
    requires transitive dev.oxbow.tensor;
    requires jdk.incubator.vector;
    requires org.slf4j;

    exports dev.oxbow.kernels;
    exports dev.oxbow.kernels.audio to
            dev.oxbow.ops,
            dev.oxbow.testing;
    exports dev.oxbow.kernels.codec to
            dev.oxbow.cli,
            dev.oxbow.data,
            dev.oxbow.ops,
            dev.oxbow.testing,
            dev.oxbow.wire;
    exports dev.oxbow.kernels.expr;
    exports dev.oxbow.kernels.expr.compile to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.expr.cuda to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.expr.interpret to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.expr.reduce to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.expr.special to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.image to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.data,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.move to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.numeric to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.random to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.data,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.kernels.text to
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.graph,
            dev.oxbow.natives,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;

    uses dev.oxbow.kernels.NativeLibrary;
}
