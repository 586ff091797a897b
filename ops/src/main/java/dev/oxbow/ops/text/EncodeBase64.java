package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.Base64;
import java.util.List;

/** Web-safe base64, with padding if wanted. */
@Signature("EncodeBase64(input: string) -> (output: string) {pad: bool = false}")
public record EncodeBase64(boolean pad) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        Base64.Encoder encoder =
                pad ? Base64.getUrlEncoder() : Base64.getUrlEncoder().withoutPadding();
        return Strings.map(encoder::encode);
    }
}
