package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Strings of all inputs one after the other, element by element; scalars serve every element. */
@Signature("StringJoin(inputs: N*string) -> (output: string) {N: int >= 0; separator: string = \"\"}")
public record StringJoin(String separator) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape out = Shape.SCALAR;
        for (int i = 0; i < c.inputCount(); i++) {
            Shape s = c.shape(i);
            if (!s.isRankKnown()) return List.of(TensorType.of(DType.STRING));
            if (s.isScalar()) continue;
            Shape both = out.isScalar() ? s : out.merge(s);
            require(both != null, INVALID_ARGUMENT, "Input shapes do not match: %s vs. %s", out, s);
            out = both;
        }
        return List.of(new TensorType(DType.STRING, out));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            byte[] between = Strings.attribute(separator);
            Strings.fill(y, i -> {
                List<byte[]> parts = new ArrayList<>();
                for (int k = 0; k < c.inputCount(); k++)
                    parts.add(Strings.get(c.input(k), c.input(k).shape().isScalar() ? 0 : i));
                return Strings.join(parts, between);
            });
        };
    }
}
