package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;
import java.util.regex.Pattern;

/** Whether a fixed pattern matches the whole of each string. */
@Signature("StaticRegexFullMatch(input: string) -> (output: bool) {pattern: string}")
public record StaticRegexFullMatch(String pattern) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        Pattern p = Regex.compile(pattern);
        return Strings.count(s -> Regex.matches(p, s) ? 1 : 0);
    }
}
