package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Elements as text. */
@Signature(
        "AsString(input: T) -> (output: string) {T: type in [REAL COMPLEX BOOL VARIANT STRING]; precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1; fill: string = \"\"}")
public record AsString(int precision, boolean scientific, boolean shortest, int width, String fill)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    private NumberFormat format() {
        return new NumberFormat(precision, scientific, shortest, width, fill);
    }

    @Override
    public Kernel cpu() {
        NumberFormat format = format();
        return c -> {
            format.check(c.input(0).dtype());
            Strings.fill(c.output(0), i -> Strings.bytes(format.text(c.input(0), i)));
        };
    }
}
