package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.TruncatedNormals;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Normal numbers between bounds; mean, deviation and bounds are one for all or one for each row. */
@Signature(
        "ParameterizedTruncatedNormal(shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in [HALF FLOAT DOUBLE]; T: type in [INT32 INT64]} stateful")
public record ParameterizedTruncatedNormal(long seed, long seed2, DType dtype) implements NotDifferentiable, Drawing {
    /** Numbers that are drawn one after another where all have the same parameters. */
    private static final long BATCH = 100;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape wanted = Randoms.shape(c, 0);
        require(wanted.rank() != 0, INVALID_ARGUMENT, "shape must have one dimension at least, got %s", wanted);
        for (int i = 1; i < 5; i++) {
            Shape s = c.shape(i);
            require(
                    s.rank() <= 1,
                    INVALID_ARGUMENT,
                    "Input %s should be a scalar or vector, got shape: %s",
                    c.name(i),
                    s);
            long n = s.rank() == 1 ? s.dim(0) : 1, rows = wanted.isRankKnown() ? wanted.dim(0) : -1;
            require(
                    n == 1 || n < 0 || rows < 0 || n == rows,
                    INVALID_ARGUMENT,
                    "Input %s should have length 1 or shape[0], got shape: %s",
                    c.name(i),
                    s);
        }
        return List.of(new TensorType(dtype, wanted));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            if (y.size() == 0) return;
            boolean same = true;
            for (int i = 1; i < 5; i++)
                same &= c.input(i).size() == 1 && (i < 3 || c.input(i).shape().isScalar());
            long batches = same ? (y.size() + BATCH - 1) / BATCH : y.shape().dim(0);
            long each = same ? BATCH : y.size() / batches;
            long blocks = Counts.times(batches, 2L * TruncatedNormals.MOST_DRAWS) * (each + 3) / 4;
            Philox stream = Randoms.state(c, seed, seed2).reserve(blocks);
            TruncatedNormals numbers = new TruncatedNormals(stream, dtype);
            for (long b = 0; b < batches; b++)
                numbers.fill(
                        y,
                        b * each,
                        Math.min(y.size(), (b + 1) * each),
                        of(c.input(1), b),
                        of(c.input(2), b),
                        of(c.input(3), b),
                        of(c.input(4), b));
        };
    }

    private static double of(Tensor parameter, long batch) {
        return parameter.getDouble(parameter.size() == 1 ? 0 : batch);
    }
}
