package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import java.util.List;

/** Matrices under its old name with their main diagonals replaced. */
@Signature("BatchMatrixSetDiag(input: T, diagonal: T) -> (output: T) {T: type}")
public record BatchMatrixSetDiag() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Bands.inferSet(c, Diagonals.Band.MAIN);
    }

    @Override
    public Kernel cpu() {
        return c -> Diagonals.set(c.input(0), c.input(1), Diagonals.Band.MAIN, c.output(0), c.parallel());
    }
}
