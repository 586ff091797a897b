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
import java.util.List;
import java.util.regex.Pattern;

/** A template whose placeholders are replaced by summaries of the inputs. */
@Signature(
        "StringFormat(inputs: T) -> (output: string) {T: list(type) >= 0; template: string = \"%s\"; placeholder: string = \"%s\"; summarize: int = 3}")
public record StringFormat(String template, String placeholder, int summarize) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = parts().length - 1;
        require(
                n == c.inputCount(),
                INVALID_ARGUMENT,
                "num placeholders in template and num inputs must match: %d vs. %d",
                n,
                c.inputCount());
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    private String[] parts() {
        return template.split(Pattern.quote(placeholder), -1);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String[] parts = parts();
            StringBuilder s = new StringBuilder(parts[0]);
            for (int i = 0; i < c.inputCount(); i++)
                s.append(Summary.of(c.input(i), summarize)).append(parts[i + 1]);
            c.output(0).objects()[0] = Strings.bytes(s.toString());
        };
    }
}
