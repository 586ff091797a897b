package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** The number of bytes or UTF-8 characters of each string. */
@Signature("StringLength(input: string) -> (output: int32) {unit: string in [\"BYTE\" \"UTF8_CHAR\"] = \"BYTE\"}")
public record StringLength(String unit) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return Strings.count(s -> unit.equals("BYTE") ? s.length : Strings.characterStarts(s).length - 1);
    }
}
