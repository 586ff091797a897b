package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;
import java.util.Locale;

/** Strings in lower case: all letters if they are UTF-8, else those of ASCII. */
@Signature("StringLower(input: string) -> (output: string) {encoding: string = \"\"}")
public record StringLower(String encoding) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        require(
                encoding.isEmpty() || encoding.equals("utf-8"),
                INVALID_ARGUMENT,
                "only utf-8 or '' are accepted as encoding, got '%s'",
                encoding);
        if (!encoding.isEmpty())
            return Strings.map(s -> Strings.bytes(Strings.text(s).toLowerCase(Locale.ROOT)));
        return Strings.map(s -> {
            byte[] t = s.clone();
            for (int i = 0; i < t.length; i++) if (t[i] >= 'A' && t[i] <= 'Z') t[i] += 32;
            return t;
        });
    }
}
