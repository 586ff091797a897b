package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A sparse tensor cut along a dimension into parts as equal as possible. */
@Signature(
        "SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64) -> (output_indices: num_split*int64, output_values: num_split*T, output_shape: num_split*int64) {num_split: int >= 1; T: type}")
public record SparseSplit(int numSplit) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        long rank = Coordinates.rank(c, 3);
        List<TensorType> part = Coordinates.types(c.dtype(2), rank), all = new ArrayList<>();
        for (TensorType t : part) all.addAll(Collections.nCopies(numSplit, t));
        return all;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(1), c.input(2), c.input(3));
            int at = Arguments.axis(c.input(0).getLong(0), x.rank());
            long size = x.shape()[at], each = size / numSplit, more = size % numSplit, from = 0;
            require(
                    numSplit <= size,
                    INVALID_ARGUMENT,
                    "num_split should be in the interval [1, %d], got %d",
                    size,
                    numSplit);
            for (int p = 0; p < numSplit; p++) {
                long to = from + each + (p < more ? 1 : 0);
                long[] shape = x.shape().clone();
                shape[at] = to - from;
                List<long[]> rows = new ArrayList<>();
                List<Integer> picks = new ArrayList<>();
                for (int k = 0; k < x.count(); k++) {
                    long[] row = x.rows()[k].clone();
                    if (row[at] < from || row[at] >= to) continue;
                    row[at] -= from;
                    rows.add(row);
                    picks.add(k);
                }
                Coordinates.emit(c, p, rows, x.rank());
                Coordinates.pick(
                        c,
                        numSplit + p,
                        x.values(),
                        picks.stream().mapToInt(Integer::intValue).toArray());
                Coordinates.vector(c, 2 * numSplit + p, shape);
                from = to;
            }
        };
    }
}
