package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Diagonals of matrices, from k[1] down to k[0], with padding where one is short. */
@Signature(
        "MatrixDiagPartV3(input: T, k: int32, padding_value: T) -> (diagonal: T) {T: type; align: string in [\"LEFT_RIGHT\" \"RIGHT_LEFT\" \"LEFT_LEFT\" \"RIGHT_RIGHT\"] = \"RIGHT_LEFT\"}")
public record MatrixDiagPartV3(String align) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(2);
        Diagonals.Band band = Bands.of(c.longs(1), align);
        return List.of(c.input(0).withShape(Bands.diagonals(c.shape(0), band)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Diagonals.Band band = Bands.of(Arguments.longs(c.input(1)), align);
            Diagonals.part(c.input(0), band, c.input(2), c.output(0), c.parallel());
        };
    }

    /** Zeros with dy on the diagonals. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value zeros = Value.apply(new ZerosLike(), g.input(0));
        return Arrays.asList(Value.apply(new MatrixSetDiagV3(align), zeros, g.gradient(0), g.input(1)), null, null);
    }
}
