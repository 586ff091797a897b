package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** The input with one value around it. */
@Signature(
        "PadV2(input: T, paddings: Tpaddings, constant_values: T) -> (output: T) {T: type; Tpaddings: type in [INT32 INT64] = INT32}")
public record PadV2() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("constant_values", c.shape(2));
        return List.of(c.input(0).withShape(Paddings.infer(c, 1)));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] paddings = c.longs(1);
        boolean isPadded = paddings == null || paddings[2 * axis] != 0 || paddings[2 * axis + 1] != 0;
        return isPadded ? null : Pieces.along(axis, outputs, axis, Pieces.WHOLE, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> dev.oxbow.kernels.move.Pad.constant(
                c.input(0), Paddings.before(c.input(1)), c.input(2), c.output(0), c.parallel());
    }

    /** {@code dx} = the middle of dy; the constant gets none. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Paddings.crop(g), null, null);
    }
}
