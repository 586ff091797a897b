package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;
import java.util.regex.Pattern;

/** Strings with what matches a fixed pattern replaced. */
@Signature(
        "StaticRegexReplace(input: string) -> (output: string) {pattern: string; rewrite: string; replace_global: bool = true}")
public record StaticRegexReplace(String pattern, String rewrite, boolean replaceGlobal) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        Pattern p = Regex.compile(pattern);
        return Strings.map(s -> Regex.replace(p, s, rewrite, replaceGlobal));
    }
}
