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
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** A ragged tensor out of a variant, or out of one for each of its parts. */
@Signature("RaggedTensorFromVariant(encoded_ragged: variant) -> (output_nested_splits: output_ragged_rank*Tsplits,"
        + " output_dense_values: Tvalues) {input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; Tvalues:"
        + " type; Tsplits: type in [INT32 INT64] = INT64}")
public record RaggedTensorFromVariant(
        long inputRaggedRank,
        long outputRaggedRank,
        @Attr("Tvalues") DType tvalues,
        @Attr("Tsplits") DType tsplits) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        long inside = inputRaggedRank >= 0 || !s.isRankKnown() ? inputRaggedRank : outputRaggedRank - s.rank();
        require(
                !s.isRankKnown() || inside + s.rank() == outputRaggedRank && inside >= 0,
                INVALID_ARGUMENT,
                "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.rank, got %d, %d and %d",
                outputRaggedRank,
                inputRaggedRank,
                s.rank());
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < outputRaggedRank; i++) types.add(new TensorType(tsplits, Shape.of(-1)));
        types.add(TensorType.of(tvalues));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor encoded = c.input(0);
            int outer = encoded.shape().rank(), n = (int) outputRaggedRank, inside = n - outer;
            List<RaggedVariant> all = new ArrayList<>();
            for (Object o : encoded.objects()) {
                RaggedVariant r = RaggedVariant.of(o, tsplits, tvalues);
                require(
                        r.splits().size() == inside,
                        INVALID_ARGUMENT,
                        "Encoded input RaggedTensorVariant has ragged_rank=%d. Expected ragged_rank=%d.",
                        r.splits().size(),
                        inside);
                all.add(r);
            }
            if (outer == 0) {
                for (int d = 0; d < n; d++)
                    c.set(d, all.getFirst().splits().get(d).retain());
                c.set(n, all.getFirst().values().retain());
                return;
            }
            uniform(c, encoded.shape());
            joined(c, outer, inside, all);
        };
    }

    /** The splits of dimensions that are not ragged. */
    private void uniform(KernelContext c, Shape s) {
        for (int d = 0; d < s.rank() - 1; d++) {
            long groups = s.size(0, d + 1), each = s.dim(d + 1);
            Tensor splits = c.allocate(d, Shape.of(groups + 1));
            for (long k = 0; k <= groups; k++) splits.setLong(k, k * each);
        }
    }

    private void joined(KernelContext c, int outer, int inside, List<RaggedVariant> all) {
        Tensor lengths = c.allocate(outer - 1, Shape.of(all.size() + 1));
        lengths.setLong(0, 0);
        for (int i = 0; i < all.size(); i++) {
            RaggedVariant r = all.get(i);
            require(
                    inside > 0 || !r.values().shape().isScalar(),
                    INVALID_ARGUMENT,
                    "values of parts must have rows, got a scalar");
            long rows = inside > 0
                    ? r.splits().getFirst().size() - 1
                    : r.values().shape().dim(0);
            lengths.setLong(i + 1, lengths.getLong(i) + rows);
        }
        for (int d = 0; d < inside; d++) {
            long count = 0, at = 1, base = 0;
            for (RaggedVariant r : all) count += r.splits().get(d).size() - 1;
            Tensor splits = c.allocate(outer + d, Shape.of(count + 1));
            splits.setLong(0, 0);
            for (RaggedVariant r : all) {
                Tensor s = r.splits().get(d);
                for (long k = 1; k < s.size(); k++) splits.setLong(at++, base + s.getLong(k));
                base = splits.getLong(at - 1);
            }
        }
        Shape row = all.isEmpty()
                ? Shape.SCALAR
                : all.getFirst()
                        .values()
                        .shape()
                        .slice(1, all.getFirst().values().shape().rank());
        long rows = 0, at = 0;
        for (RaggedVariant r : all) {
            Shape s = r.values().shape();
            require(
                    s.slice(1, s.rank()).equals(row),
                    INVALID_ARGUMENT,
                    "All flat_values must have compatible shapes, got %s and %s",
                    row,
                    s);
            rows += s.dim(0);
        }
        Tensor y = c.allocate((int) outputRaggedRank, Shape.of(rows).concat(row));
        long[] one = {1};
        for (RaggedVariant r : all) {
            long[] size = {r.values().size()};
            Strided.copy(r.values(), 0, one, y, at, one, size, Parallel.SERIAL);
            at += size[0];
        }
    }

    /** The gradients of values as variants of the parts. */
    @Override
    public List<Value> gradient(GradientContext g) {
        int n = (int) outputRaggedRank;
        boolean isWhole = g.node().input(0).type().shape().isScalar();
        Value[] inputs = new Value[n + 1];
        for (int i = 0; i < n; i++) inputs[i] = g.output(i);
        inputs[n] = g.gradient(n);
        return List.of(Value.apply(new RaggedTensorToVariant(n, !isWhole), inputs));
    }
}
