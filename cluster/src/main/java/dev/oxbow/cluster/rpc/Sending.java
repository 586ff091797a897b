package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A message that goes, with the contents of tensors that are not in it but belong there. */
record Sending<M extends MessageLite>(M message, List<Tensor> tensors) {
    static <M extends MessageLite> Sending<M> of(M message, Cargo cargo) {
        return new Sending<>(message, cargo == null ? List.of() : cargo.tensors());
    }
}
