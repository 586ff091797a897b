/** TensorFlow's messages and files: graphs, tensors, checkpoints, npy arrays, safetensors. */
module dev.oxbow.wire {
    requires com.google.gson;
    requires com.google.protobuf;
    requires dev.oxbow.kernels;
    requires transitive dev.oxbow.tensor;

    exports dev.oxbow.wire to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.data,
            dev.oxbow.examples,
            dev.oxbow.graph,
            dev.oxbow.observe,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.wire.event to
            dev.oxbow.observe,
            dev.oxbow.ops,
            dev.oxbow.testing;
    exports dev.oxbow.wire.onnx to
            dev.oxbow.train;
    exports dev.oxbow.wire.proto to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.collective,
            dev.oxbow.graph,
            dev.oxbow.observe,
            dev.oxbow.ops,
            dev.oxbow.parallel,
            dev.oxbow.runtime,
            dev.oxbow.testing,
            dev.oxbow.train;
    exports dev.oxbow.wire.trace to
            dev.oxbow.cli,
            dev.oxbow.cluster,
            dev.oxbow.runtime,
            dev.oxbow.testing;

    opens dev.oxbow.wire.onnx to
            com.google.protobuf;
    opens dev.oxbow.wire.proto to
            com.google.protobuf;
}
