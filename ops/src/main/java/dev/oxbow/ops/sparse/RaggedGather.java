package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.NdIndex;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Rows of a ragged tensor picked by index. */
@Signature("RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK*Tsplits, params_dense_values: Tvalues, indices:"
        + " Tindices) -> (output_nested_splits: OUTPUT_RAGGED_RANK*Tsplits, output_dense_values: Tvalues)"
        + " {Tvalues: type; Tindices: type in [INT32 INT64]; Tsplits: type in [INT32 INT64] = INT64;"
        + " PARAMS_RAGGED_RANK: int >= 1; OUTPUT_RAGGED_RANK: int >= 0}")
public record RaggedGather(@Attr("OUTPUT_RAGGED_RANK") int outputRaggedRank) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount() - 2;
        for (int d = 0; d < n; d++) c.vector(d);
        c.rankAtLeast(n, 1);
        int indices = c.shape(n + 1).rank();
        require(
                indices < 0 || outputRaggedRank == n + indices - 1,
                INVALID_ARGUMENT,
                "OUTPUT_RAGGED_RANK must be %d, that of params and of indices, got %d",
                n + indices - 1,
                outputRaggedRank);
        Shape values = c.shape(n);
        List<TensorType> types =
                new ArrayList<>(Collections.nCopies(outputRaggedRank, new TensorType(c.dtype(0), Shape.of(-1))));
        types.add(c.input(n).withShape(values.isRankKnown() ? values.withDim(0, -1) : values));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int n = c.inputCount() - 2;
            Tensor values = c.input(n), indices = c.input(n + 1);
            Shape s = indices.shape();
            long rows = c.input(0).size() - 1;
            int uniform = s.rank() - 1;
            for (int d = 0; d < n; d++)
                Ragged.checkSplits(
                        c.input(d),
                        d + 1 < n ? c.input(d + 1).size() - 1 : values.shape().dim(0));
            for (int i = 0; i < uniform; i++) {
                long groups = s.size(0, i + 1), each = s.dim(i + 1);
                Tensor splits = c.allocate(i, Shape.of(groups + 1));
                for (long k = 0; k <= groups; k++) splits.setLong(k, k * each);
            }
            List<List<Long>> splits = new ArrayList<>();
            for (int d = 0; d < n; d++) splits.add(new ArrayList<>(List.of(0L)));
            List<long[]> ranges = new ArrayList<>();
            long total = 0;
            for (long i = 0; i < indices.size(); i++) {
                long from = indices.getLong(i);
                require(
                        from >= 0 && from < rows,
                        INVALID_ARGUMENT,
                        "indices%s = %d is not in [0, %d)",
                        NdIndex.position(s, i),
                        from,
                        rows);
                long to = from + 1;
                for (int d = 0; d < n; d++) {
                    List<Long> out = splits.get(d);
                    long base = out.getLast() - c.input(d).getLong(from);
                    for (long k = from; k < to; k++) out.add(c.input(d).getLong(k + 1) + base);
                    from = c.input(d).getLong(from);
                    to = c.input(d).getLong(to);
                }
                ranges.add(new long[] {from, to});
                total += to - from;
            }
            for (int d = uniform < 0 ? 1 : 0; d < n; d++) {
                List<Long> out = splits.get(d);
                Tensor t = c.allocate(uniform + d, Shape.of(out.size()));
                for (int k = 0; k < out.size(); k++) t.setLong(k, out.get(k));
            }
            Tensor y = c.allocate(outputRaggedRank, values.shape().withDim(0, total));
            long inner = values.shape().size(1, values.shape().rank()), at = 0;
            long[] one = {1};
            for (long[] r : ranges) {
                long[] size = {(r[1] - r[0]) * inner};
                Strided.copy(values, r[0] * inner, one, y, at, one, size, Parallel.SERIAL);
                at += size[0];
            }
        };
    }

    /** The rows of values back where they were picked. */
    @Override
    public List<Value> gradient(GradientContext g) {
        int n = g.node().inputCount() - 2;
        Value splits = g.input(0), values = g.input(n);
        for (int d = 1; d < n; d++) splits = g.input(d).gather(splits, 0);
        Value flat = g.input(n + 1).reshape(-1);
        Value starts = splits.gather(flat, 0), limits = splits.gather(flat.plus(flat.constantLike(1)), 0);
        Value rows = Value.applyAll(new RaggedRange(splits.dtype()), starts, limits, splits.constantLike(1))
                .get(1);
        Value[] d = new Value[n + 2];
        d[n] = new Slices(g.gradient(outputRaggedRank), rows, values.runtimeShape());
        return Arrays.asList(d);
    }
}
