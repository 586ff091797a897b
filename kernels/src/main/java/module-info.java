/** CPU arithmetic on bytes: expressions and their compiler, numeric kernels, movers, reductions, random numbers. Knows no graph. */
module dev.oxbow.kernels {
    requires transitive dev.oxbow.tensor;
    requires jdk.incubator.vector;
    requires org.slf4j;

    exports dev.oxbow.kernels;
    exports dev.oxbow.kernels.expr;
    exports dev.oxbow.kernels.expr.compile;
    exports dev.oxbow.kernels.expr.cuda;
    exports dev.oxbow.kernels.expr.interpret;
    exports dev.oxbow.kernels.expr.reduce;
    exports dev.oxbow.kernels.expr.special;
    exports dev.oxbow.kernels.image;
    exports dev.oxbow.kernels.move;
    exports dev.oxbow.kernels.numeric;
    exports dev.oxbow.kernels.random;
    exports dev.oxbow.kernels.text;

    uses dev.oxbow.kernels.NativeLibrary;
}
