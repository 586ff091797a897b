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
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Values of one shape along a new axis. */
@Signature("Pack(values: N*T) -> (output: T) {N: int >= 1; T: type; axis: int = 0}")
public record Pack(int axis) implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        for (int i = 1; i < c.inputCount(); i++) s = Arguments.merge(s, c.shape(i));
        if (!s.isRankKnown()) return List.of(c.input(0).withShape(s));
        int at = Arguments.axis(axis, s.rank() + 1);
        return List.of(c.input(0)
                .withShape(s.slice(0, at).concat(Shape.of(c.inputCount())).concat(s.slice(at, s.rank()))));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int at = Math.floorMod(this.axis, outputs.get(0).shape().rank());
        if (axis == at) return null;
        int[] cut = new int[c.inputCount()];
        Arrays.fill(cut, axis < at ? axis : axis - 1);
        return Pieces.along(axis, outputs, cut);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Tensor> parts = new ArrayList<>();
            for (int i = 0; i < c.inputCount(); i++) parts.add(c.input(i));
            Shape s = parts.get(0).shape();
            int at = Arguments.axis(axis, s.rank() + 1);
            Tensor y = c.isAllocated(0)
                    ? c.output(0)
                    : c.allocate(
                            0, s.slice(0, at).concat(Shape.of(parts.size())).concat(s.slice(at, s.rank())));
            dev.oxbow.kernels.move.Concat.pack(parts, at, y, c.parallel());
        };
    }

    /** The slices of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Value.applyAll(new Unpack(g.node().inputCount(), axis), g.gradient(0));
    }
}
