package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.nio.charset.Charset;
import java.util.List;

/** Text brought from one encoding into another. */
@Signature(
        "UnicodeTranscode(input: string) -> (output: string) {input_encoding: string; output_encoding: string in [\"UTF-8\" \"UTF-16-BE\" \"UTF-32-BE\"]; errors: string in [\"strict\" \"replace\" \"ignore\"] = \"replace\"; replacement_char: int = 65533; replace_control_characters: bool = false}")
public record UnicodeTranscode(
        String inputEncoding,
        String outputEncoding,
        String errors,
        int replacementChar,
        boolean replaceControlCharacters)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    private Unicode.Errors policy() {
        return new Unicode.Errors(errors, replacementChar, replaceControlCharacters);
    }

    @Override
    public Kernel cpu() {
        policy().check();
        return c -> {
            Charset charset = Unicode.charset(inputEncoding);
            Strings.map(s -> {
                        int[] points = new int[s.length + 1], n = {0};
                        Unicode.decode(s, charset, policy(), (p, at) -> points[n[0]++] = p);
                        return Unicode.encode(points, n[0], outputEncoding);
                    })
                    .run(c);
        };
    }
}
