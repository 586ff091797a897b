package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;

/** A message that came, with those of its tensors that went straight to memory of their own. */
public final class Received<M extends MessageLite> implements AutoCloseable {
    private static final Tensor[] NONE = {};

    private final M message;
    private final Tensor[] tensors;
    private final OxbowException error;

    /** Tensors whose place in the message has the number {@code -1 - i} are {@code tensors[i]}. */
    Received(M message, Tensor[] tensors) {
        this.message = message;
        this.tensors = tensors;
        this.error = null;
    }

    /** A message of this process: its tensors are those of the cargo, which may be null, held once more. */
    static <M extends MessageLite> Received<M> handed(M message, Cargo cargo) {
        if (cargo == null) return new Received<>(message, NONE);
        Received<M> all = new Received<>(message, new Tensor[cargo.tensors().size()]);
        try {
            for (int i = 0; i < all.tensors.length; i++) {
                Tensor t = cargo.tensors().get(i);
                all.tensors[i] = t.buffer().isLent() ? copied(t) : t.view(t.shape());
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            all.close();
            throw e;
        }
        return all;
    }

    /** What is lent may change before it was read. */
    private static Tensor copied(Tensor t) {
        Tensor copy = MemoryPool.shared().tensor(t.dtype(), t.shape(), "a message");
        t.copyTo(copy);
        return copy;
    }

    /** Bytes that are no such message. */
    Received(OxbowException error) {
        this.message = null;
        this.tensors = NONE;
        this.error = error;
    }

    /** Why there is no message; null where there is one. */
    OxbowException error() {
        return error;
    }

    public M message() {
        return message;
    }

    /** A tensor of the message, for its one reference; to be asked for once, while the message is being handled. */
    public Tensor tensor(TensorProto proto) {
        int i = -1 - proto.getVersionNumber();
        if (i < 0 || i >= tensors.length)
            return TensorCodec.decode(proto, TensorCodec.DEFAULT_MAX_BYTES, MemoryPool.shared(), "a message");
        Tensor t = tensors[i];
        tensors[i] = null;
        return t;
    }

    /** Lets go what nobody asked for. */
    @Override
    public void close() {
        for (int i = 0; i < tensors.length; i++) {
            if (tensors[i] != null) tensors[i].release();
            tensors[i] = null;
        }
    }
}
