package dev.oxbow.graph;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** What {@link Op#infer} may ask. */
public interface InferenceContext {
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
        long[] v = new long[Math.toIntExact(t.size())];
        for (int j = 0; j < v.length; j++) v[j] = t.getLong(j);
        return v;
    }

    /** The shape that the 1-D integer input {@code i} spells, as far as known; -1 elements are unknown dimensions. */
    default Shape shapeValue(int i) {
        long[] v = longs(i);
        if (v != null) return Shape.of(v);
        return shape(i).rank() == 1 && shape(i).dim(0) >= 0 ? Shape.ofRank((int) shape(i).dim(0)) : Shape.UNKNOWN;
    }
}
