package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;
import java.util.List;

/** A tensor as the bytes of its message. */
@Signature("SerializeTensor(tensor: T) -> (serialized: string) {T: type}")
public record SerializeTensor() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0); // strings are not in tensor_content, as TensorFlow has it
            TensorProto proto = x.dtype() == DType.STRING ? TensorCodec.encode(x) : TensorCodec.encodeContent(x);
            c.output(0).objects()[0] = proto.toByteArray();
        };
    }
}
