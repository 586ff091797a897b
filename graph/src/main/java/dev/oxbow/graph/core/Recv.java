package dev.oxbow.graph.core;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Waits for the value of the send with the same key; dead if that was. */
@Signature(
        "_Recv() -> (tensor: tensor_type) {tensor_type: type; tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; client_terminated: bool = false} stateful")
public record Recv(
        DType tensorType,
        String tensorName,
        String sendDevice,
        long sendDeviceIncarnation,
        String recvDevice,
        boolean clientTerminated)
        implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(tensorType));
    }

    /** The key that send and receive share in an iteration of a frame. */
    public String key(long frame, long iteration) {
        return new RendezvousKey(sendDevice, sendDeviceIncarnation, recvDevice, tensorName, frame, iteration)
                .toString();
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public boolean waits() {
        return true;
    }
}
