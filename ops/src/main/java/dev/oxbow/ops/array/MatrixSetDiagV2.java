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

/** Matrices with diagonals, from k[1] down to k[0], replaced. */
@Signature("MatrixSetDiagV2(input: T, diagonal: T, k: int32) -> (output: T) {T: type}")
public record MatrixSetDiagV2() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Bands.inferSet(c, Bands.of(c.longs(2), "LEFT_LEFT"));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Diagonals.Band band = Bands.of(Arguments.longs(c.input(2)), "LEFT_LEFT");
            Diagonals.set(c.input(0), c.input(1), band, c.output(0), c.parallel());
        };
    }

    /** dy with zeros on the diagonals, and the diagonals of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), k = g.input(2), zeros = Value.apply(new ZerosLike(), g.input(1));
        return Arrays.asList(
                Value.apply(this, dy, zeros, k), Value.apply(new MatrixDiagPartV2(), dy, k, dy.constantLike(0)), null);
    }
}
