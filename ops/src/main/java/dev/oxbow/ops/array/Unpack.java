package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

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
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** The slices along an axis, without that axis. */
@Signature("Unpack(value: T) -> (output: num*T) {num: int >= 0; T: type; axis: int = 0}")
public record Unpack(int num, int axis) implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        if (!x.isRankKnown()) return Collections.nCopies(num, c.input(0).withShape(x));
        require(x.rank() > 0, INVALID_ARGUMENT, "the input must have at least one dimension, got %s", x);
        int at = Arguments.axis(axis, x.rank());
        require(
                x.dim(at) < 0 || x.dim(at) == num,
                INVALID_ARGUMENT,
                "Input shape axis %d must equal %d, got shape %s",
                at,
                num,
                x);
        return Collections.nCopies(num, c.input(0).withShape(x.withoutDim(at)));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int at = Math.floorMod(this.axis, c.shape(0).rank());
        return Pieces.along(axis, outputs, axis < at ? axis : axis + 1);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Shape s = c.input(0).shape();
            int at = Arguments.axis(axis, s.rank());
            List<Tensor> parts = new ArrayList<>();
            for (int i = 0; i < c.outputCount(); i++)
                parts.add(c.isAllocated(i) ? c.output(i) : c.allocate(i, s.withoutDim(at)));
            if (!parts.isEmpty()) dev.oxbow.kernels.move.Concat.unpack(c.input(0), at, parts, c.parallel());
        };
    }

    /** The gradients packed again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new Pack(axis), IntStream.range(0, num).mapToObj(g::gradient).toArray(Value[]::new)));
    }
}
