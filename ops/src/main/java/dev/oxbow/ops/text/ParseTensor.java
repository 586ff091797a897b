package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;
import java.util.List;

/** The tensor whose message a string holds. */
@Signature("ParseTensor(serialized: string) -> (output: out_type) {out_type: type}")
public record ParseTensor(DType outType) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                c.shape(0).rank() <= 0,
                INVALID_ARGUMENT,
                "Expected `serialized` to be a scalar, got shape: %s",
                c.shape(0));
        return List.of(TensorType.of(outType));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            byte[] bytes = Strings.get(c.input(0), 0);
            TensorProto proto;
            try {
                proto = TensorProto.parseFrom(bytes);
            } catch (InvalidProtocolBufferException e) {
                throw new OxbowException(
                        INVALID_ARGUMENT,
                        "Could not parse `serialized` as TensorProto: '%s'".formatted(Strings.text(bytes)),
                        e);
            }
            Tensor t = TensorCodec.decode(proto, TensorCodec.DEFAULT_MAX_BYTES, c.memory(), c.node());
            if (t.dtype() != outType) t.release();
            require(
                    t.dtype() == outType,
                    INVALID_ARGUMENT,
                    "Type mismatch between parsed tensor (%s) and dtype (%s)",
                    t.dtype().inWords(),
                    outType.inWords());
            c.set(0, t);
        };
    }
}
