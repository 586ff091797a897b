package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;
import java.util.regex.Pattern;

/** Whether a pattern matches the whole of each string. */
@Signature("RegexFullMatch(input: string, pattern: string) -> (output: bool)")
public record RegexFullMatch() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Strings.requireScalar("Pattern", c.shape(1));
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Pattern p = Regex.compile(Strings.text(Strings.get(c.input(1), 0)));
            Strings.count(s -> Regex.matches(p, s) ? 1 : 0).run(c);
        };
    }
}
