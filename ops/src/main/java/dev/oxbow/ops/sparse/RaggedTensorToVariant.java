package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A ragged tensor as a variant, or each of its rows as one. */
@Signature("RaggedTensorToVariant(rt_nested_splits: RAGGED_RANK*Tsplits, rt_dense_values: Tvalues) -> (encoded_ragged:"
        + " variant) {RAGGED_RANK: int >= 0; Tvalues: type; Tsplits: type in [INT32 INT64] = INT64; batched_input:"
        + " bool}")
public record RaggedTensorToVariant(@Attr("RAGGED_RANK") long raggedRank, boolean batchedInput)
        implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < raggedRank; i++) c.vector(i);
        require(
                !batchedInput || raggedRank > 0 || !c.shape((int) raggedRank).isScalar(),
                INVALID_ARGUMENT,
                "batched_input is true, so there must be rows, got a scalar");
        if (!batchedInput) return List.of(TensorType.handle(DType.VARIANT));
        Shape first = c.shape(0);
        long rows = !first.isRankKnown() || first.dim(0) < 0 ? -1 : raggedRank > 0 ? first.dim(0) - 1 : first.dim(0);
        return List.of(new TensorType(DType.VARIANT, Shape.of(rows)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int n = (int) raggedRank;
            for (int d = 0; d < n; d++)
                Ragged.checkSplits(
                        c.input(d),
                        d + 1 < n
                                ? c.input(d + 1).size() - 1
                                : c.input(n).shape().dim(0));
            if (!batchedInput) {
                List<Tensor> splits = new ArrayList<>();
                for (int d = 0; d < n; d++) splits.add(c.keep(d));
                c.set(0, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, new RaggedVariant(splits, c.keep(n))));
                return;
            }
            int rows = Counts.toInt(
                    n > 0 ? c.input(0).size() - 1 : c.input(0).shape().dim(0));
            Object[] all = new Object[rows];
            for (int i = 0; i < rows; i++) all[i] = row(c, i);
            c.set(0, Tensor.ofObjects(DType.VARIANT, Shape.of(rows), all));
        };
    }

    private RaggedVariant row(KernelContext c, long i) {
        long from = i, to = i + 1;
        List<Tensor> splits = new ArrayList<>();
        for (int d = 0; d < raggedRank; d++) {
            Tensor s = c.input(d);
            if (d > 0) {
                Tensor part = c.temporary(s.dtype(), Shape.of(to - from + 1));
                for (long k = from; k <= to; k++) part.setLong(k - from, s.getLong(k) - s.getLong(from));
                splits.add(part);
            }
            from = s.getLong(from);
            to = s.getLong(to);
        }
        Tensor values = c.input((int) raggedRank);
        Shape shape = raggedRank == 0
                ? values.shape().slice(1, values.shape().rank())
                : values.shape().withDim(0, to - from);
        Tensor part = c.temporary(values.dtype(), shape);
        long width = values.shape().size(1, values.shape().rank());
        long[] one = {1}, size = {(to - from) * width};
        Strided.copy(values, from * width, one, part, 0, one, size, Parallel.SERIAL);
        return new RaggedVariant(splits, part);
    }

    /** The rows of gradients, one behind the other. */
    @Override
    public List<Value> gradient(GradientContext g) {
        int n = (int) raggedRank;
        Value[] d = new Value[n + 1];
        Value values = g.input(n);
        Value splits = n > 0 ? g.input(n - 1) : values.ops().constant(Tensor.of(Shape.of(0), new long[0]));
        for (int i = n - 2; i >= 0; i--) splits = splits.gather(g.input(i), 0);
        d[n] = Value.apply(
                new RaggedTensorToVariantGradient(values.dtype()), g.gradient(0), splits, values.runtimeShape());
        return Arrays.asList(d);
    }
}
