package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.ResourceHandleProto;
import dev.oxbow.wire.proto.TensorProto;
import java.util.ArrayList;
import java.util.List;

/** The tensors of one message that is being made: large ones stay where they are, and must, until it was sent. */
public final class Cargo {
    /** Shorter contents are a part of the message. */
    static final int LONG = 1 << 14;

    private static final long MOST = Integer.MAX_VALUE - (1 << 20);

    private final List<Tensor> tensors = new ArrayList<>(2);
    private final boolean handed;
    private long bytes;

    /** For a message that becomes bytes. */
    public Cargo() {
        this(false);
    }

    private Cargo(boolean handed) {
        this.handed = handed;
    }

    /** For a message that stays in this process: no content becomes a part of it, and there is no limit. */
    static Cargo handed() {
        return new Cargo(true);
    }

    boolean isHanded() {
        return handed;
    }

    /** The message of a tensor, wherever it lies; where its content stays behind stands {@code -1 - i} as version_number. */
    public TensorProto encode(Tensor t) {
        if (t.dtype() == DType.RESOURCE) return TensorCodec.encode(handles(t));
        if (t.dtype().isObject()) return TensorCodec.encode(t);
        if (!t.isIn(Space.HOST)) return t.onHost(TensorCodec::encode);
        if (!handed && t.byteSize() < LONG) return TensorCodec.encode(t);
        bytes += t.byteSize();
        require(
                handed || bytes <= MOST,
                INVALID_ARGUMENT,
                "TensorProto: a message carries less than 2^31 bytes, with %s it would have %d",
                t.describe(),
                bytes);
        tensors.add(t);
        return TensorProto.newBuilder()
                .setDtype(TensorCodec.encodeType(t.dtype()))
                .setTensorShape(TensorCodec.encodeShape(t.shape()))
                .setVersionNumber(-tensors.size())
                .build();
    }

    /** The contents that stayed behind, in order. */
    List<Tensor> tensors() {
        return tensors;
    }

    long bytes() {
        return bytes;
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
