package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import java.util.List;

/** The main diagonals of matrices under its old name. */
@Signature("BatchMatrixDiagPart(input: T) -> (diagonal: T) {T: type}")
public record BatchMatrixDiagPart() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Bands.diagonals(c.shape(0), Diagonals.Band.MAIN)));
    }

    @Override
    public Kernel cpu() {
        return Bands.partMain();
    }
}
