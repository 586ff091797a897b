package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The gradients of rows that were variants, one behind the other. */
@Signature("RaggedTensorToVariantGradient(encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32)"
        + " -> (dense_values_grad: Tvalues) {Tvalues: type; Tsplits: type in [INT32 INT64] = INT64}")
public record RaggedTensorToVariantGradient(@Attr("Tvalues") DType tvalues) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(1);
        c.vector(2);
        long[] dims = c.longs(2);
        return List.of(dims == null ? TensorType.of(tvalues) : new TensorType(tvalues, Shape.of(dims)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor encoded = c.input(0), splits = c.input(1);
            Shape shape = Shape.of(Arguments.longs(c.input(2)));
            Tensor y = c.allocate(0, shape);
            long at = 0;
            long[] one = {1};
            for (Object o : encoded.objects()) {
                Tensor t = RaggedVariant.of(o, splits.dtype(), tvalues).values();
                require(
                        at + t.size() <= y.size(),
                        INVALID_ARGUMENT,
                        "the rows have more than the %d values of %s",
                        y.size(),
                        shape);
                long[] size = {t.size()};
                Strided.copy(t, 0, one, y, at, one, size, Parallel.SERIAL);
                at += t.size();
            }
            require(
                    at == y.size(),
                    INVALID_ARGUMENT,
                    "the rows have %d values, wanted are the %d of %s",
                    at,
                    y.size(),
                    shape);
        };
    }
}
