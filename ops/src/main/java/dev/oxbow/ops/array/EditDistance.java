package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Levenshtein distance between the sequences of two sparse tensors, one for each of their leading indices. */
@Signature(
        "EditDistance(hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, truth_values: T, truth_shape: int64) -> (output: float) {normalize: bool = true; T: type}")
public record EditDistance(boolean normalize) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 6; i += 3) {
            Arguments.rank("indices", c.shape(i), 2);
            Arguments.rank("values", c.shape(i + 1), 1);
            Arguments.rank("shape", c.shape(i + 2), 1);
        }
        for (int i = 0; i < 6; i += 3) {
            c.sameDim(i + 1, 0, i, 0);
            c.sameDim(i + 2, 0, i, 1);
        }
        long[] a = c.longs(2), b = c.longs(5);
        if (a == null || b == null) return List.of(TensorType.of(DType.F32));
        require(
                a.length == b.length && a.length > 1,
                INVALID_ARGUMENT,
                "truth_shape and hypothesis_shape should have equal rank above 1: %s vs. %s",
                Arrays.toString(b),
                Arrays.toString(a));
        long[] dims = new long[a.length - 1];
        for (int d = 0; d < dims.length; d++) {
            require(
                    a[d] >= 0 && b[d] >= 0,
                    INVALID_ARGUMENT,
                    "shapes must not have negative dimensions, got %s and %s",
                    Arrays.toString(a),
                    Arrays.toString(b));
            dims[d] = Math.max(a[d], b[d]);
        }
        return List.of(new TensorType(DType.F32, Shape.of(dims)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            Map<Long, List<Object>> hypotheses = groups(c.input(0), c.input(1), y.shape());
            Map<Long, List<Object>> truths = groups(c.input(3), c.input(4), y.shape());
            for (long i = 0; i < y.size(); i++) {
                List<Object> h = hypotheses.getOrDefault(i, List.of()), t = truths.getOrDefault(i, List.of());
                double distance = distance(h, t);
                if (normalize) {
                    if (!t.isEmpty()) distance /= t.size();
                    else distance = h.isEmpty() ? 0 : Double.POSITIVE_INFINITY;
                }
                y.set(i, distance);
            }
        };
    }

    /** The values of each leading index, in order. */
    private static Map<Long, List<Object>> groups(Tensor indices, Tensor values, Shape shape) {
        Map<Long, List<Object>> groups = new HashMap<>();
        long[] strides = shape.strides();
        int depth = shape.rank() + 1;
        for (long i = 0; i < values.size(); i++) {
            long at = 0;
            for (int d = 0; d < depth - 1; d++) {
                long j = indices.getLong(i * depth + d);
                require(
                        j >= 0 && j < shape.dim(d),
                        INVALID_ARGUMENT,
                        "index %d of dimension %d is outside of the output %s",
                        j,
                        d,
                        shape);
                at += j * strides[d];
            }
            groups.computeIfAbsent(at, _ -> new ArrayList<>()).add(Keys.of(values, i));
        }
        return groups;
    }

    private static int distance(List<Object> a, List<Object> b) {
        int[] row = new int[b.size() + 1];
        for (int j = 0; j < row.length; j++) row[j] = j;
        for (int i = 1; i <= a.size(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int change = diagonal + (a.get(i - 1).equals(b.get(j - 1)) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[b.size()];
    }
}
