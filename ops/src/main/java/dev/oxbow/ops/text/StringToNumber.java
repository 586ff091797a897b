package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The numbers that strings spell. */
@Signature(
        "StringToNumber(string_tensor: string) -> (output: out_type) {out_type: type in [FLOAT DOUBLE INT32 INT64 UINT32 UINT64] = FLOAT}")
public record StringToNumber(DType outType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            for (long i = 0; i < x.size(); i++) {
                String s = Strings.text(Strings.get(x, i));
                require(
                        Parsing.parse(s, c.output(0), i),
                        INVALID_ARGUMENT,
                        "StringToNumberOp could not correctly convert string: %s",
                        s);
            }
        };
    }
}
