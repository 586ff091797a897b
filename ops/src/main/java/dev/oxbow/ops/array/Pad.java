package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The input with zeros around it. */
@Signature("Pad(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in [INT32 INT64] = INT32}")
public record Pad() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Paddings.infer(c, 1)));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] paddings = c.longs(1);
        boolean isPadded = paddings == null || paddings[2 * axis] != 0 || paddings[2 * axis + 1] != 0;
        return isPadded ? null : Pieces.along(axis, outputs, axis, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor zero = c.temporary(c.input(0).dtype(), Shape.SCALAR);
            Fills.zero(zero);
            dev.oxbow.kernels.move.Pad.constant(
                    c.input(0), Paddings.before(c.input(1)), zero, c.output(0), c.parallel());
            zero.release();
        };
    }

    /** {@code dx} = the middle of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Paddings.crop(g), null);
    }
}
