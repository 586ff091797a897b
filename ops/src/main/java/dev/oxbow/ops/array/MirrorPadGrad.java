package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The gradient of {@code MirrorPad}: the middle plus what the border mirrors. */
@Signature(
        "MirrorPadGrad(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in [INT32 INT64] = INT32; mode: string in [\"REFLECT\" \"SYMMETRIC\"]}")
public record MirrorPadGrad(String mode) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape y = Paddings.infer(c, -1);
        long[] paddings = c.longs(1);
        if (paddings != null && y.isRankKnown()) Paddings.mirror(y, paddings, offset());
        return List.of(c.input(0).withShape(y));
    }

    private int offset() {
        return mode.equals("REFLECT") ? 1 : 0;
    }

    @Override
    public Kernel cpu() {
        return c -> dev.oxbow.kernels.move.Pad.mirrorGradient(
                c.input(0), Paddings.before(c.input(1)), offset(), c.output(0), c.memory(), c.parallel());
    }

    /** The gradient padded by mirroring. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(new MirrorPad(mode), g.gradient(0), g.input(1)), null);
    }
}
