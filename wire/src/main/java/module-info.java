/** TensorFlow's messages and files: graphs, tensors, checkpoints, npy arrays, safetensors. */
@SuppressWarnings("requires-transitive-automatic") // protobuf has no module-info
module dev.oxbow.wire {
    requires com.google.gson;
    requires transitive com.google.protobuf;
    requires transitive dev.oxbow.tensor;

    exports dev.oxbow.wire;
    exports dev.oxbow.wire.onnx;
    exports dev.oxbow.wire.proto;
}
