package dev.oxbow.cluster.rpc;

import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;

/** Tensors to and from messages between tasks; handles of resources stay in their task, and are refused by name. */
public final class Tensors {
    private Tensors() {}

    /** The message of a tensor, wherever it lies. */
    public static TensorProto encode(Tensor t) {
        return t.dtype().isObject() ? TensorCodec.encode(t) : t.onHost(TensorCodec::encode);
    }

    /** The tensor of a message; its one reference is the caller's. */
    public static Tensor decode(TensorProto proto) {
        return TensorCodec.decode(proto, TensorCodec.DEFAULT_MAX_BYTES, MemoryPool.shared(), "a message");
    }
}
