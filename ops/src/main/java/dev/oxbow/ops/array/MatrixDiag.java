package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Matrices with given main diagonals and zeros elsewhere. */
@Signature("MatrixDiag(diagonal: T) -> (output: T) {T: type}")
public record MatrixDiag() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.atLeast("diagonal", c.shape(0), 1);
        Shape x = c.shape(0);
        return List.of(c.input(0).withShape(x.isRankKnown() ? x.concat(Shape.of(x.dim(-1))) : x));
    }

    @Override
    public Kernel cpu() {
        return Bands.makeMain();
    }

    /** The main diagonals of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new MatrixDiagPart(), g.gradient(0)));
    }
}
