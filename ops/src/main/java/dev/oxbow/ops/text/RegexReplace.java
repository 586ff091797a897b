package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;
import java.util.regex.Pattern;

/** Strings with what matches a pattern replaced. */
@Signature(
        "RegexReplace(input: string, pattern: string, rewrite: string) -> (output: string) {replace_global: bool = true}")
public record RegexReplace(boolean replaceGlobal) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Strings.requireScalar("Pattern", c.shape(1));
        Strings.requireScalar("Rewrite", c.shape(2));
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Pattern p = Regex.compile(Strings.text(Strings.get(c.input(1), 0)));
            String rewrite = Strings.text(Strings.get(c.input(2), 0));
            Strings.map(s -> Regex.replace(p, s, rewrite, replaceGlobal)).run(c);
        };
    }
}
