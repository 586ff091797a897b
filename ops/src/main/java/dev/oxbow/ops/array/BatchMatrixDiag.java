package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Matrices under its old name with given main diagonals and zeros elsewhere. */
@Signature("BatchMatrixDiag(diagonal: T) -> (output: T) {T: type}")
public record BatchMatrixDiag() implements Op {

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
}
