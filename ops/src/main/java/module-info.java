/** One file per op, the fluent {@code Value}, and automatic differentiation. */
module dev.oxbow.ops {
    requires com.google.protobuf;
    requires transitive dev.oxbow.graph;
    requires org.slf4j;

    exports dev.oxbow.ops.array to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.batching to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.csr to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.dataset to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.flow to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.gradient;
    exports dev.oxbow.ops.image to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.io to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.linalg to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.lookup to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.math to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.nn to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.parse to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.queue to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.quantised to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.random to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.rewrite to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.signal to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.sparse to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.state to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.summary to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops.text to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.cuda,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.ops;

    provides dev.oxbow.graph.OpProvider with
            dev.oxbow.ops.array.ArrayOps,
            dev.oxbow.ops.batching.BatchingOps,
            dev.oxbow.ops.csr.CsrOps,
            dev.oxbow.ops.dataset.DatasetOps,
            dev.oxbow.ops.flow.FlowOps,
            dev.oxbow.ops.gradient.GradientOps,
            dev.oxbow.ops.image.ImageOps,
            dev.oxbow.ops.io.IoOps,
            dev.oxbow.ops.linalg.LinalgOps,
            dev.oxbow.ops.lookup.LookupOps,
            dev.oxbow.ops.math.MathOps,
            dev.oxbow.ops.nn.NnOps,
            dev.oxbow.ops.parse.ParseOps,
            dev.oxbow.ops.queue.QueueOps,
            dev.oxbow.ops.quantised.QuantisedOps,
            dev.oxbow.ops.random.RandomOps,
            dev.oxbow.ops.rewrite.OpRewrites,
            dev.oxbow.ops.signal.SignalOps,
            dev.oxbow.ops.sparse.SparseOps,
            dev.oxbow.ops.state.StateOps,
            dev.oxbow.ops.summary.SummaryOps,
            dev.oxbow.ops.text.TextOps;
}
