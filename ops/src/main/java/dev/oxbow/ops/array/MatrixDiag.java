package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Matrices with given main diagonals and zeros elsewhere. */
@Signature("MatrixDiag(diagonal: T) -> (output: T) {T: type}")
public record MatrixDiag() implements Differentiable, DiagonalVersions.Diagonal {

    /** The main diagonals of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new MatrixDiagPart(), g.gradient(0)));
    }
}
