/** One file per op, the fluent {@code Value}, and automatic differentiation. */
module dev.oxbow.ops {
    requires transitive dev.oxbow.graph;
    requires org.slf4j;

    exports dev.oxbow.ops.array;
    exports dev.oxbow.ops.flow;
    exports dev.oxbow.ops.gradient;
    exports dev.oxbow.ops.image;
    exports dev.oxbow.ops.io;
    exports dev.oxbow.ops.linalg;
    exports dev.oxbow.ops.lookup;
    exports dev.oxbow.ops.math;
    exports dev.oxbow.ops.nn;
    exports dev.oxbow.ops.queue;
    exports dev.oxbow.ops.random;
    exports dev.oxbow.ops.rewrite;
    exports dev.oxbow.ops.signal;
    exports dev.oxbow.ops.sparse;
    exports dev.oxbow.ops.state;
    exports dev.oxbow.ops.text;
    exports dev.oxbow.ops;

    provides dev.oxbow.graph.OpProvider with
            dev.oxbow.ops.array.ArrayOps,
            dev.oxbow.ops.flow.FlowOps,
            dev.oxbow.ops.gradient.GradientOps,
            dev.oxbow.ops.image.ImageOps,
            dev.oxbow.ops.io.IoOps,
            dev.oxbow.ops.linalg.LinalgOps,
            dev.oxbow.ops.lookup.LookupOps,
            dev.oxbow.ops.math.MathOps,
            dev.oxbow.ops.nn.NnOps,
            dev.oxbow.ops.queue.QueueOps,
            dev.oxbow.ops.random.RandomOps,
            dev.oxbow.ops.rewrite.OpRewrites,
            dev.oxbow.ops.signal.SignalOps,
            dev.oxbow.ops.sparse.SparseOps,
            dev.oxbow.ops.state.StateOps,
            dev.oxbow.ops.text.TextOps;
}
