package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.TensorCodec;
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
        return c -> c.output(0).objects()[0] = TensorCodec.encode(c.input(0)).toByteArray();
    }
}
