package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Matrices with their main diagonals replaced. */
@Signature("MatrixSetDiag(input: T, diagonal: T) -> (output: T) {T: type}")
public record MatrixSetDiag() implements Differentiable, DiagonalVersions.SetDiagonal {

    /** dy with zeros on the main diagonals, and the main diagonals of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), zeros = Value.apply(new ZerosLike(), g.input(1));
        return List.of(Value.apply(new MatrixSetDiag(), dy, zeros), Value.apply(new MatrixDiagPart(), dy));
    }
}
