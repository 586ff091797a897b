package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.Reduction;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What adding a vector along the channels and its gradient share. */
final class Biases {
    private Biases() {}

    static int channelAxis(int rank, String dataFormat) {
        return dataFormat.equals("NCHW") ? 1 : rank - 1;
    }

    static List<TensorType> infer(InferenceContext c, String dataFormat) {
        Shape x = c.shape(0), b = c.shape(1);
        require(!b.isRankKnown() || b.rank() == 1, INVALID_ARGUMENT, "Biases must be 1D: %s", b);
        if (!x.isRankKnown()) return List.of(c.input(0));
        require(x.rank() >= 2, INVALID_ARGUMENT, "Input tensor must be at least 2D: %s", x);
        int axis = channelAxis(x.rank(), dataFormat);
        long channels = x.dim(axis), n = b.dim(0);
        require(
                channels < 0 || n < 0 || channels == n,
                INVALID_ARGUMENT,
                "Must provide as many biases as the channel dimension of the input tensor: %s vs. %s",
                b,
                x);
        return List.of(c.input(0).withShape(x.withDim(axis, Math.max(channels, n))));
    }

    static Kernel add(String dataFormat) {
        return c -> {
            Tensor x = c.input(0);
            DType t = x.dtype();
            int axis = channelAxis(x.shape().rank(), dataFormat);
            long[] dims = new long[x.shape().rank() - axis];
            Arrays.fill(dims, 1);
            dims[0] = c.input(1).size();
            Tensor b = c.input(1).view(Shape.of(dims));
            try {
                ElementwiseKernel.of(List.of(Expr.input(0, t).plus(Expr.input(1, t))))
                        .run(c.parallel(), x.shape(), new Tensor[] {x, b}, new Tensor[] {c.output(0)});
            } finally {
                b.release();
            }
        };
    }

    /** All axes but the channels. */
    static int[] summed(int rank, String dataFormat) {
        int axis = channelAxis(rank, dataFormat);
        int[] others = new int[rank - 1];
        for (int i = 0; i < others.length; i++) others[i] = i < axis ? i : i + 1;
        return others;
    }

    static Kernel sum(String dataFormat) {
        return c -> {
            Tensor x = c.input(0);
            int[] axes = summed(x.shape().rank(), dataFormat);
            Reduction.of(Reduction.Operation.SUM, x.dtype())
                    .run(c.parallel(), x.shape(), axes, new Tensor[] {x}, c.output(0));
        };
    }

    /** A vector spread along the channels of {@code like}. */
    static Value spread(Value like, Value vector, String dataFormat) {
        Value shape = like.runtimeShape();
        if (!dataFormat.equals("NCHW")) return Value.apply(new BroadcastTo(), vector, shape);
        int inner = like.shape().isRankKnown() ? like.shape().rank() - 2 : 2;
        int[] ones = new int[inner];
        Arrays.fill(ones, 1);
        Value column = Value.apply(
                new ConcatV2(),
                vector.runtimeShape(),
                like.ops().constant(ones),
                like.ops().constant(DType.I32, 0));
        return Value.apply(new BroadcastTo(), vector.reshape(column), shape);
    }
}
