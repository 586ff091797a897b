package dev.oxbow.cluster.rpc;

import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;

/** Tensors as messages between tasks; handles of resources stay in their task, and are refused by name. */
public final class Tensors {
    private Tensors() {}

    /** The message of a tensor, wherever it lies. Numbers stay where they are: the tensor must, too, until it was sent. */
    public static TensorProto encode(Tensor t) {
        if (t.dtype().isObject()) return TensorCodec.encode(t);
        return t.isIn(Space.HOST) ? TensorCodec.encodeView(t) : t.onHost(TensorCodec::encode);
    }
}
