package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Types of outputs and rules for inputs that the parsing ops share. */
final class ExampleTypes {
    private ExampleTypes() {}

    /** Names of examples are as many as there are of these, or none. */
    static void names(InferenceContext c, int serialized, int names) {
        Shape s = c.shape(serialized), n = c.shape(names);
        require(n.rank() <= 1, INVALID_ARGUMENT, "names must be a vector or scalar, got %s", n);
        if (s.isFullyKnown() && n.isFullyKnown() && n.rank() == 1)
            require(
                    n.size() == 0 || n.size() == s.size(),
                    INVALID_ARGUMENT,
                    "Expected len(names) == len(serialized), but got: %d vs. %d",
                    n.size(),
                    s.size());
    }

    static void same(String what, long size, long wanted) {
        require(size == wanted, INVALID_ARGUMENT, "%s must have %d entries, got %d", what, wanted, size);
    }

    /** Dense outputs in their shapes behind that of the batch; a scalar for a single example. */
    static List<TensorType> dense(InferenceContext c, int defaults, List<Shape> shapes, Shape batch) {
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < shapes.size(); i++)
            all.add(new TensorType(
                    c.dtype(defaults + i), batch.isRankKnown() ? batch.concat(shapes.get(i)) : Shape.UNKNOWN));
        return all;
    }

    /** Outputs of these dtypes, which are vectors. */
    static List<TensorType> vectors(List<DType> types) {
        return types.stream().map(t -> new TensorType(t, Shape.of(-1))).toList();
    }

    /** Splits of the rows of a batch; scalars without a meaning for a single example. */
    static List<TensorType> splits(List<DType> types, Shape batch) {
        Shape shape = !batch.isRankKnown() ? Shape.UNKNOWN : batch.rank() == 0 ? Shape.SCALAR : Shape.of(-1);
        return types.stream().map(t -> new TensorType(t, shape)).toList();
    }

    /** Sparse outputs of a rank with the dimension of the batch, which single examples lack. */
    static List<TensorType> sparse(List<DType> types, Shape batch, int rank) {
        if (batch.isRankKnown()) return FeatureColumns.sparseTypes(types, batch.rank() == 0 ? rank - 1 : rank);
        return FeatureColumns.sparseTypes(types, rank).stream()
                .map(t -> t.shape().rank() == 2
                        ? new TensorType(t.dtype(), Shape.of(-1, -1))
                        : new TensorType(t.dtype(), Shape.of(-1)))
                .toList();
    }

    /** Dense lists: batch, steps, and the shape of a step. */
    static List<TensorType> lists(List<DType> types, List<Shape> shapes, Shape batch) {
        same("feature_list_dense_shapes", shapes.size(), types.size());
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            require(
                    shapes.get(i).isFullyKnown(),
                    INVALID_ARGUMENT,
                    "feature_list_dense_shapes must be known, got %s",
                    shapes.get(i));
            Shape steps = Shape.of(-1).concat(shapes.get(i));
            all.add(new TensorType(types.get(i), batch.isRankKnown() ? batch.concat(steps) : Shape.UNKNOWN));
        }
        return all;
    }

    /** Which keys are among some names. */
    static boolean[] among(List<String> keys, List<String> names) {
        boolean[] found = new boolean[keys.size()];
        for (int i = 0; i < found.length; i++) found[i] = names.contains(keys.get(i));
        return found;
    }

    /** No feature is asked for as a sparse and as a ragged one. */
    static void apart(String what, Tensor sparse, Tensor ragged) {
        for (byte[] s : FeatureColumns.keys(sparse))
            for (byte[] r : FeatureColumns.keys(ragged))
                require(
                        !Arrays.equals(s, r),
                        INVALID_ARGUMENT,
                        "%s %s cannot be both ragged and sparse",
                        what,
                        FeatureColumns.text(s));
    }
}
