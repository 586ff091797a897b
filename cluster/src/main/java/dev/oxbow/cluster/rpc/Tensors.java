package dev.oxbow.cluster.rpc;

import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.ResourceHandleProto;
import dev.oxbow.wire.proto.TensorProto;

/** Tensors as messages. */
public final class Tensors {
    private Tensors() {}

    /** The message of a tensor, wherever it lies. Numbers stay where they are: the tensor must, too, until it was sent. */
    public static TensorProto encode(Tensor t) {
        if (t.dtype() == DType.RESOURCE) return TensorCodec.encode(handles(t));
        if (t.dtype().isObject()) return TensorCodec.encode(t);
        return t.isIn(Space.HOST) ? TensorCodec.encodeView(t) : t.onHost(TensorCodec::encode);
    }

    /** Handles as their names: what a client may look at, but not a way to the resource. */
    private static Tensor handles(Tensor t) {
        Object[] names = new Object[t.objects().length];
        for (int i = 0; i < names.length; i++)
            names[i] = t.objects()[i] instanceof ResourceHandle h
                    ? ResourceHandleProto.newBuilder()
                            .setContainer(h.container())
                            .setName(h.name())
                            .build()
                    : t.objects()[i];
        return Tensor.ofObjects(DType.RESOURCE, t.shape(), names);
    }
}
