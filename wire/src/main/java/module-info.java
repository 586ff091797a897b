/** TensorFlow's messages and files: graphs, tensors, checkpoints, npy arrays. */
@SuppressWarnings("requires-transitive-automatic") // protobuf has no module-info
module dev.oxbow.wire {
    requires transitive com.google.protobuf;
    requires transitive dev.oxbow.tensor;

    exports dev.oxbow.wire;
    exports dev.oxbow.wire.proto;
}
