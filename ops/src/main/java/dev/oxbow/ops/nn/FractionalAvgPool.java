package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Shape;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The mean over random intervals of rows and columns, whose ends are given too. */
@Signature(
        "FractionalAvgPool(value: T) -> (output: T, row_pooling_sequence: int64, col_pooling_sequence: int64) {pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; deterministic: bool = false; seed: int = 0; seed2: int = 0; T: type in [FLOAT DOUBLE INT32 INT64]}")
public record FractionalAvgPool(
        List<Float> poolingRatio,
        boolean pseudoRandom,
        boolean overlapping,
        boolean deterministic,
        long seed,
        long seed2)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return FractionalPools.infer(c, poolingRatio);
    }

    @Override
    public Effects effects() {
        return deterministic && (seed != 0 || seed2 != 0) ? Effects.NONE : Effects.RANDOM;
    }

    @Override
    public Kernel cpu() {
        require(
                deterministic || seed == 0 && seed2 == 0,
                INVALID_ARGUMENT,
                "Both seed and seed2 should be 0 if deterministic is false, got %d and %d",
                seed,
                seed2);
        return c -> {
            FractionalPools.draw(c.input(0), pseudoRandom, seed, seed2, c.output(1), c.output(2));
            FractionalPools.pool(c.input(0), c.output(1), c.output(2), overlapping, false, c.output(0));
        };
    }

    /** Through the intervals that were drawn. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value shape = Value.apply(new Shape(DType.I64), g.input(0));
        return List.of(
                Value.apply(new FractionalAvgPoolGrad(overlapping), shape, g.gradient(0), g.output(1), g.output(2)));
    }
}
