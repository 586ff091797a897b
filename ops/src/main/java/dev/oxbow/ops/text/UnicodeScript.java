package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The number that ICU gives the script of each code point; -1 for what is none. */
@Signature("UnicodeScript(input: int32) -> (output: int32)")
public record UnicodeScript() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            for (long i = 0; i < x.size(); i++) c.output(0).setLong(i, ScriptNumbers.of((int) x.getLong(i)));
        };
    }
}
