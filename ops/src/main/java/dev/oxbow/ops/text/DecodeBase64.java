package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.OxbowException;
import java.util.Base64;
import java.util.List;

/** What web-safe base64 stands for. */
@Signature("DecodeBase64(input: string) -> (output: string)")
public record DecodeBase64() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return Strings.map(s -> {
            int n = s.length;
            while (n > 0 && s[n - 1] == '=') n--;
            require(
                    n % 4 != 1,
                    INVALID_ARGUMENT,
                    "Base64 string length (without padding) cannot be 1 modulo 4, got %d bytes",
                    n);
            try {
                return Base64.getUrlDecoder().decode(s);
            } catch (IllegalArgumentException e) {
                throw new OxbowException(INVALID_ARGUMENT, "Invalid character found in base64.", e);
            }
        });
    }
}
