package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The first {@code seq_lengths[b]} entries along the sequence axis of each batch entry b turned around. */
@Signature(
        "ReverseSequence(input: T, seq_lengths: Tlen) -> (output: T) {seq_dim: int; batch_dim: int = 0; T: type; Tlen: type in [INT32 INT64] = INT64}")
public record ReverseSequence(int seqDim, int batchDim) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        Arguments.rank("seq_lengths", c.shape(1), 1);
        require(batchDim != seqDim, INVALID_ARGUMENT, "batch_dim == seq_dim == %d", seqDim);
        if (x.isRankKnown()) {
            require(
                    seqDim < x.rank() && batchDim < x.rank() && seqDim >= 0 && batchDim >= 0,
                    INVALID_ARGUMENT,
                    "seq_dim %d and batch_dim %d must be < input rank (%d)",
                    seqDim,
                    batchDim,
                    x.rank());
            long n = x.dim(batchDim), lengths = c.shape(1).dim(0);
            require(
                    n < 0 || lengths < 0 || n == lengths,
                    INVALID_ARGUMENT,
                    "Length of seq_lengths != input.dims(%d), (%d vs. %d)",
                    batchDim,
                    lengths,
                    n);
        }
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long most = c.input(0).shape().dim(seqDim);
            for (long n : Arguments.longs(c.input(1)))
                require(n >= 0 && n <= most, INVALID_ARGUMENT, "seq_lengths must be in [0, %d], got %d", most, n);
            dev.oxbow.kernels.move.Reverse.sequences(
                    c.input(0), c.input(1), seqDim, batchDim, c.output(0), c.parallel());
        };
    }

    /** dy turned around likewise. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(this, g.gradient(0), g.input(1)), null);
    }
}
