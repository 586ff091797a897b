package dev.oxbow.ops.parse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.wire.ExampleJson;
import java.util.List;

/** Examples written as JSON, as the messages that they stand for. */
@Signature("DecodeJSONExample(json_examples: string) -> (binary_examples: string)")
public record DecodeJSONExample() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.STRING, c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Object[] json = c.input(0).objects(), binary = c.output(0).objects();
            for (int i = 0; i < json.length; i++) binary[i] = ExampleJson.parse((byte[]) json[i]);
        };
    }
}
