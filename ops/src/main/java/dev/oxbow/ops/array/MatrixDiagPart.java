package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The main diagonals of matrices. */
@Signature("MatrixDiagPart(input: T) -> (diagonal: T) {T: type}")
public record MatrixDiagPart() implements Differentiable, DiagonalVersions.DiagonalPart {

    /** Zeros with dy on the main diagonals. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Shape x = g.input(0).shape();
        boolean square = x.isRankKnown() && x.dim(-1) >= 0 && x.dim(-1) == x.dim(-2);
        if (square) return List.of(Value.apply(new MatrixDiag(), g.gradient(0)));
        Value zeros = Value.apply(new ZerosLike(), g.input(0));
        return List.of(Value.apply(new MatrixSetDiag(), zeros, g.gradient(0)));
    }
}
