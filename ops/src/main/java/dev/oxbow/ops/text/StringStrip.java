package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.Arrays;
import java.util.List;

/** Strings without the white space around them. */
@Signature("StringStrip(input: string) -> (output: string)")
public record StringStrip() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return Strings.map(s -> {
            int from = 0, to = s.length;
            while (from < to && Strings.isSpace(s[from])) from++;
            while (to > from && Strings.isSpace(s[to - 1])) to--;
            return Arrays.copyOfRange(s, from, to);
        });
    }
}
