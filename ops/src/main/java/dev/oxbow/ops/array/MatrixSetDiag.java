package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Matrices with their main diagonals replaced. */
@Signature("MatrixSetDiag(input: T, diagonal: T) -> (output: T) {T: type}")
public record MatrixSetDiag() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Bands.inferSet(c, Diagonals.Band.MAIN);
    }

    @Override
    public Kernel cpu() {
        return c -> Diagonals.set(c.input(0), c.input(1), Diagonals.Band.MAIN, c.output(0), c.parallel());
    }

    /** dy with zeros on the main diagonals, and the main diagonals of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), zeros = Value.apply(new ZerosLike(), g.input(1));
        return List.of(Value.apply(new MatrixSetDiag(), dy, zeros), Value.apply(new MatrixDiagPart(), dy));
    }
}
