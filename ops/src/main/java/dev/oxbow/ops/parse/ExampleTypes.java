package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Types of outputs and rules for inputs that the parsing ops share. */
final class ExampleTypes {
    private ExampleTypes() {}

    /** Examples are a vector, or a scalar for one. */
    static void serialized(Shape s) {
        require(s.rank() <= 1, INVALID_ARGUMENT, "Expected serialized to be a scalar or vector, got shape: %s", s);
    }

    /** Shapes of dense features, of which the first dimension may vary. */
    static void shapes(List<Shape> shapes, int count) {
        same("dense_shapes", shapes.size(), count);
        for (int i = 0; i < count; i++) {
            Shape s = shapes.get(i);
            require(
                    s.isRankKnown() && (s.rank() == 0 || s.slice(1, s.rank()).isFullyKnown()),
                    INVALID_ARGUMENT,
                    "dense_shapes[%d] has unknown rank or unknown inner dimensions: %s",
                    i,
                    s);
        }
    }

    /** Shapes of dense features of SequenceExamples, none of whose dimensions may vary. */
    static void known(String what, List<Shape> shapes, int count) {
        same(what, shapes.size(), count);
        for (Shape s : shapes)
            require(s.isFullyKnown(), INVALID_ARGUMENT, "Shape %s is not fully defined, in %s", s, what);
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
        known("feature_list_dense_shapes", shapes, types.size());
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
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

    /** No feature is asked for in two ways. */
    static void apart(String what, List<byte[]> dense, List<byte[]> sparse, List<byte[]> ragged) {
        apart(what + " feature %s cannot be both dense and sparse", dense, sparse);
        apart(what + " feature %s cannot be both dense and ragged", dense, ragged);
        apart(what + " feature %s cannot be both ragged and sparse", ragged, sparse);
    }

    private static void apart(String rule, List<byte[]> some, List<byte[]> others) {
        for (byte[] s : some)
            for (byte[] o : others) require(!Arrays.equals(s, o), INVALID_ARGUMENT, rule, FeatureColumns.text(s));
    }
}
