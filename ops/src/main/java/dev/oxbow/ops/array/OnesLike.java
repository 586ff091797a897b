package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Ones in the shape of a value. */
@Signature("OnesLike(x: T) -> (y: T) {T: type in [REAL COMPLEX BOOL]}")
public record OnesLike() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Pieces.along(axis, outputs, axis);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0), one = c.temporary(y.dtype(), Shape.SCALAR);
            one.set(0, 1);
            Broadcast.fill(one, y, c.parallel());
            one.release();
        };
    }
}
