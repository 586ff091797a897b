package dev.oxbow.graph;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** What {@link Op#infer} may ask. */
public interface InferenceContext {

    /** The most elements of an input that inference reads as axes, sizes or a shape. */
    int LONGEST = 1 << 24;

    int inputCount();

    /** The type of input {@code i}, references already followed. */
    TensorType input(int i);

    /** The value of input {@code i} where it is known now, else null; borrowed. At run time every value is known. */
    Tensor constant(int i);

    /** The number of outputs by the signature, for ops whose count or types are attributes. */
    int outputCount();

    /** The dtype of output {@code i} by the signature. */
    DType outputDtype(int i);

    /** The functions that the op's attributes may name. */
    FunctionLibrary functions();

    default DType dtype(int i) {
        return input(i).dtype();
    }

    default Shape shape(int i) {
        return input(i).shape();
    }

    /** The value of integer input {@code i} as longs where known, else null. */
    default long[] longs(int i) {
        Tensor t = constant(i);
        if (t == null) return null;
        if (t.size() > LONGEST)
            throw invalid("%s must have at most %d elements, got %s", name(i), LONGEST, t.describe());
        long[] v = new long[(int) t.size()];
        for (int j = 0; j < v.length; j++) v[j] = t.getLong(j);
        return v;
    }

    /** The value of integer input {@code i}, which must be a scalar, where known, else null. */
    default Long number(int i) {
        scalar(i);
        long[] v = longs(i);
        return v == null ? null : v[0];
    }

    /** The shape that the vector of integers in input {@code i} spells, as far as known; none of them may be negative. */
    default Shape shapeValue(int i) {
        vector(i);
        long[] v = longs(i);
        if (v == null) return Shape.ofRank(shape(i).dim(0));
        for (long d : v)
            if (d < 0)
                throw invalid("%s must be a shape without negative dimensions, got %s", name(i), Arrays.toString(v));
        return Shape.of(v);
    }

    /*
     * What kernels rely on. Each check holds as far as shapes are known, and inference is run again with every shape
     * at hand before a kernel runs, so that a kernel may read element 0 of what was checked to be a scalar, or walk
     * two inputs side by side that were checked to have the same size.
     */

    /** The name of input {@code i}, for messages. */
    default String name(int i) {
        return "input " + i;
    }

    /** The node that input {@code i} comes from, or else its name, for messages. */
    default String source(int i) {
        return name(i);
    }

    /** Requires input {@code i} to have exactly one element and rank 0. */
    default void scalar(int i) {
        if (shape(i).rank() > 0) throw invalid("%s must be a scalar, got shape %s", name(i), shape(i));
    }

    /** Requires input {@code i} to have rank 1. */
    default void vector(int i) {
        if (shape(i).isRankKnown() && shape(i).rank() != 1)
            throw invalid("%s must be a vector, got shape %s", name(i), shape(i));
    }

    /** Requires input {@code i} to be a vector of {@code count} elements. */
    default void vector(int i, long count) {
        vector(i);
        long n = shape(i).dim(0);
        if (n >= 0 && count >= 0 && n != count)
            throw invalid("%s must have %d elements, got shape %s", name(i), count, shape(i));
    }

    /** Requires input {@code i} to have exactly one element, whatever its rank. */
    default void single(int i) {
        if (shape(i).isFullyKnown() && shape(i).size() != 1)
            throw invalid("%s must have one element, got shape %s", name(i), shape(i));
    }

    /** Requires input {@code i} to have this rank. */
    default void rank(int i, int rank) {
        if (shape(i).isRankKnown() && shape(i).rank() != rank)
            throw invalid("%s must have rank %d, got shape %s", name(i), rank, shape(i));
    }

    /** Requires input {@code i} to have this rank or a higher one. */
    default void rankAtLeast(int i, int rank) {
        if (shape(i).isRankKnown() && shape(i).rank() < rank)
            throw invalid("%s must be at least %d-dim, got shape %s", name(i), rank, shape(i));
    }

    /** Requires dimension {@code d} of input {@code i} to be {@code size}; negative sizes are not known. */
    default void dim(int i, int d, long size) {
        rankAtLeast(i, d < 0 ? -d : d + 1);
        long n = shape(i).dim(d);
        if (n >= 0 && size >= 0 && n != size)
            throw invalid("dimension %d of %s must be %d, got shape %s", d, name(i), size, shape(i));
    }

    /** Requires dimension {@code d} of input {@code i} to equal dimension {@code e} of input {@code j}. */
    default void sameDim(int i, int d, int j, int e) {
        rankAtLeast(j, e < 0 ? -e : e + 1);
        rankAtLeast(i, d < 0 ? -d : d + 1);
        long a = shape(i).dim(d), b = shape(j).dim(e);
        if (a >= 0 && b >= 0 && a != b)
            throw invalid(
                    "dimension %d of %s must equal dimension %d of %s, got shapes %s and %s",
                    d, name(i), e, name(j), shape(i), shape(j));
    }

    /** Requires inputs {@code i} and {@code j} to have the same number of elements. */
    default void sameSize(int i, int j) {
        if (shape(i).isFullyKnown() && shape(j).isFullyKnown() && shape(i).size() != shape(j).size())
            throw invalid(
                    "%s and %s must have the same number of elements, got shapes %s and %s",
                    name(i), name(j), shape(i), shape(j));
    }

    /** Requires inputs {@code i} and {@code j} to have the same shape. */
    default void sameShape(int i, int j) {
        if (!shape(i).isCompatibleWith(shape(j)))
            throw invalid("%s and %s must have the same shape, got %s and %s", name(i), name(j), shape(i), shape(j));
    }

    /** Requires input {@code i} to have a shape that {@code wanted} allows. */
    default void shape(int i, Shape wanted) {
        if (!shape(i).isCompatibleWith(wanted))
            throw invalid("%s must have shape %s, got %s", name(i), wanted, shape(i));
    }

    private static OxbowException invalid(String format, Object... arguments) {
        return new OxbowException(ErrorCode.INVALID_ARGUMENT, format.formatted(arguments));
    }
}
